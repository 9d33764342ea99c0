/**
 * Design tokens: colours, type, spacing, radii, shadows, motion. See web/DESIGN.md.
 *
 * Plain data without imports, so that pages outside the app can use it too. In style sheets the tokens are custom
 * properties (`--mv-…`), by tokenProperties().
 */

export type Scheme = "light" | "dark";

/** From light to dark. */
type Scale = readonly [string, string, string, string, string, string, string, string, string, string];

/** The single brand colour, neutrals with its tint, and one hue per meaning. */
export const palette = {
  brand: [
    "#edf6fa",
    "#d8ebf3",
    "#b1d7e6",
    "#80bed5",
    "#4ba2c0",
    "#1f7d9c",
    "#126f8f",
    "#0d5c78",
    "#0b4a61",
    "#083a4d",
  ],
  gray: [
    "#f7f8fa",
    "#f0f2f5",
    "#e5e8ed",
    "#d5dae1",
    "#b5bcc8",
    "#8c95a4",
    "#626b7a",
    "#4c5563",
    "#2e3642",
    "#171c25",
  ],
  /** Neutrals of the dark scheme: texts, lines, surfaces, page. */
  dark: [
    "#dbe0e8",
    "#a6afbd",
    "#808a9a",
    "#596373",
    "#333b48",
    "#272e39",
    "#1b212a",
    "#141920",
    "#0d1116",
    "#080a0d",
  ],
  green: [
    "#ebf7f1",
    "#d3eee0",
    "#a8dcc2",
    "#78c7a1",
    "#4fb184",
    "#349c6c",
    "#26845a",
    "#1c6b48",
    "#165439",
    "#0f3d29",
  ],
  yellow: [
    "#fdf6e7",
    "#faeac6",
    "#f4d58d",
    "#edbe55",
    "#e0a62e",
    "#c88d17",
    "#a3710e",
    "#7f570a",
    "#624308",
    "#463005",
  ],
  red: [
    "#fdf0ef",
    "#fbdcda",
    "#f5b7b4",
    "#ec8d89",
    "#e06863",
    "#cf4a45",
    "#b53833",
    "#972b27",
    "#7a211e",
    "#591615",
  ],
  violet: [
    "#f4f1fd",
    "#e6dffa",
    "#cdbff4",
    "#ae99ea",
    "#9075de",
    "#7657cf",
    "#6345b8",
    "#513799",
    "#402c79",
    "#2e1f58",
  ],
} as const satisfies Record<string, Scale>;

/**
 * Per meaning: `solid` for dots, `fill` for bars and charts, `tint` for backgrounds, `ink` for text on a tint. Never shown
 * without a word: colour alone is not accessible.
 */
type Tone = { solid: string; fill: string; tint: string; ink: string };

const { brand, gray, dark, green, yellow, red, violet } = palette;

export const schemes = {
  light: {
    ground: gray[0],
    surface: "#ffffff",
    sunken: gray[1],
    hover: gray[0],
    line: gray[2],
    lineStrong: gray[4],
    text: gray[9],
    textSoft: gray[7],
    textDim: gray[6],
    accent: brand[7],
    accentHover: brand[8],
    link: brand[7],
    focus: brand[5],
    tones: {
      brand: { solid: brand[6], fill: brand[4], tint: brand[0], ink: brand[8] },
      green: { solid: green[5], fill: green[3], tint: green[0], ink: green[7] },
      yellow: { solid: yellow[4], fill: yellow[3], tint: yellow[0], ink: yellow[7] },
      red: { solid: red[5], fill: red[4], tint: red[0], ink: red[7] },
      gray: { solid: gray[5], fill: gray[4], tint: gray[1], ink: gray[7] },
      violet: { solid: violet[5], fill: violet[4], tint: violet[0], ink: violet[7] },
    },
    shadowLow: "0 1px 2px rgb(23 28 37 / 5%)",
    shadowHigh: "0 2px 6px rgb(23 28 37 / 6%), 0 12px 32px rgb(23 28 37 / 12%)",
  },
  dark: {
    ground: dark[8],
    surface: dark[7],
    sunken: dark[6],
    hover: dark[6],
    line: dark[5],
    lineStrong: dark[3],
    text: dark[0],
    textSoft: "#c3cad5",
    textDim: dark[1],
    accent: brand[6],
    accentHover: brand[5],
    link: brand[3],
    focus: brand[4],
    tones: {
      brand: { solid: brand[4], fill: brand[5], tint: "#0f2731", ink: brand[2] },
      green: { solid: green[4], fill: "#2f7355", tint: "#10261b", ink: green[2] },
      yellow: { solid: "#d19f3a", fill: "#94712a", tint: "#2b220f", ink: yellow[2] },
      red: { solid: red[4], fill: "#ad4f4b", tint: "#311817", ink: red[2] },
      gray: { solid: dark[2], fill: dark[3], tint: dark[5], ink: "#c3cad5" },
      violet: { solid: violet[4], fill: violet[5], tint: "#221b38", ink: violet[2] },
    },
    shadowLow: "none",
    shadowHigh: "0 0 0 1px rgb(255 255 255 / 6%), 0 16px 40px rgb(0 0 0 / 55%)",
  },
} as const satisfies Record<Scheme, Record<string, unknown> & { tones: Record<string, Tone> }>;

export type ToneName = keyof (typeof schemes)["light"]["tones"];

/** Two weights carry the hierarchy; 600 is for headings and key figures only. */
export const type = {
  family:
    '"Figtree Variable", "Figtree Fallback", system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif',
  mono: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  weight: { text: 400, emphasis: 500, heading: 600 },
  /** Size and line height. */
  size: {
    xs: ["0.75rem", "1.4"],
    sm: ["0.875rem", "1.45"],
    md: ["0.9375rem", "1.5"],
    lg: ["1.0625rem", "1.45"],
    xl: ["1.25rem", "1.35"],
  },
  heading: {
    h1: ["1.625rem", "1.2"],
    h2: ["1.375rem", "1.25"],
    h3: ["1.1875rem", "1.3"],
    h4: ["1rem", "1.4"],
    h5: ["0.9375rem", "1.4"],
    h6: ["0.875rem", "1.4"],
  },
  /** The one figure that answers the question of a page. */
  display: ["clamp(2rem, 1.4rem + 2.4vw, 3rem)", "1.08"],
  figure: ["1.5rem", "1.2"],
} as const;

/** Multiples of 4 px. */
export const space = { xs: "0.5rem", sm: "0.75rem", md: "1rem", lg: "1.5rem", xl: "2rem" } as const;

export const radius = { xs: "4px", sm: "6px", md: "8px", lg: "12px", xl: "999px" } as const;

export const motion = { quick: "120ms ease-out", calm: "240ms cubic-bezier(0.2, 0, 0, 1)" } as const;

/** Custom properties of a colour scheme. */
export function tokenProperties(scheme: Scheme): Record<string, string> {
  const { tones, ...plain } = schemes[scheme];
  const properties: Record<string, string> = {};
  for (const [name, value] of Object.entries<string>(plain)) properties[`--mv-${kebab(name)}`] = value;
  for (const [name, tone] of Object.entries<Tone>(tones))
    for (const [use, value] of Object.entries(tone)) properties[`--mv-${name}-${use}`] = value;
  return properties;
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
