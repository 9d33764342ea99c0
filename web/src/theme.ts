/** Mantine theme: the design tokens in Mantine's terms. */
import type { Status } from "@mailvet/contract";
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";
import {
  motion,
  palette,
  radius,
  type Scheme,
  schemes,
  space,
  type ToneName,
  tokenProperties,
  type,
} from "./design/tokens.ts";
import { common } from "./messages.ts";

const sizes = Object.entries(type.size);
const headings = Object.entries(type.heading);

export const theme = createTheme({
  colors: palette as unknown as Record<string, MantineColorsTuple>,
  white: schemes.light.surface,
  black: schemes.light.text,
  primaryColor: "brand",
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  fontFamily: type.family,
  fontFamilyMonospace: type.mono,
  fontSizes: Object.fromEntries(sizes.map(([name, [size]]) => [name, size])),
  lineHeights: Object.fromEntries(sizes.map(([name, [, lineHeight]]) => [name, lineHeight])),
  headings: {
    fontWeight: String(type.weight.heading),
    sizes: Object.fromEntries(
      headings.map(([name, [fontSize, lineHeight]]) => [name, { fontSize, lineHeight }]),
    ),
  },
  spacing: space,
  radius,
  defaultRadius: "md",
  shadows: { xs: "var(--mv-shadow-low)", sm: "var(--mv-shadow-low)", md: "var(--mv-shadow-high)" },
  cursorType: "pointer",
  respectReducedMotion: true,
  // Plain objects: Component.extend would bring the component into the entry chunk.
  components: {
    Badge: { defaultProps: { variant: "light", tt: "none", radius: "sm" } },
    Button: { defaultProps: { fw: 500 } },
    Modal: {
      defaultProps: {
        closeButtonProps: { "aria-label": common.close },
        overlayProps: { backgroundOpacity: 0.4, blur: 2 },
        padding: "lg",
        radius: "lg",
        shadow: "md",
        // Mantine renders a <header>, which would be a second banner landmark.
        attributes: { header: { role: "presentation" } },
      },
      styles: { title: { fontSize: "var(--mantine-font-size-lg)", fontWeight: type.weight.heading } },
    },
    Menu: { defaultProps: { shadow: "md" } },
    Popover: { defaultProps: { shadow: "md" } },
    NavLink: { styles: { root: { borderRadius: "var(--mantine-radius-sm)" } } },
    Paper: { defaultProps: { radius: "lg" } },
    SegmentedControl: {
      defaultProps: { withItemsBorders: false },
      styles: { root: { flexWrap: "wrap", maxWidth: "100%" } }, // it cuts off what is wider than a phone
    },
    Skeleton: { defaultProps: { radius: "sm" } },
  },
});

/** Mantine's own variables, from the tokens of the scheme. */
function mantineProperties(scheme: Scheme): Record<string, string> {
  const { tones } = schemes[scheme];
  const perTone = (Object.keys(tones) as ToneName[]).flatMap((name) => [
    [`--mantine-color-${name}-light`, `var(--mv-${name}-tint)`],
    [`--mantine-color-${name}-light-hover`, `var(--mv-${name}-tint)`],
    [`--mantine-color-${name}-light-color`, `var(--mv-${name}-ink)`],
    [`--mantine-color-${name}-filled`, `var(--mv-${name}-solid)`],
  ]);
  const danger = {
    "--mantine-color-red-filled": palette.red[6],
    "--mantine-color-red-filled-hover": palette.red[7],
  };
  return {
    ...tokenProperties(scheme),
    ...Object.fromEntries(perTone),
    ...danger,
    "--mantine-color-body": "var(--mv-surface)",
    "--mantine-color-text": "var(--mv-text)",
    "--mantine-color-dimmed": "var(--mv-text-dim)",
    "--mantine-color-anchor": "var(--mv-link)",
    "--mantine-color-default-border": "var(--mv-line)",
    "--mantine-color-default-hover": "var(--mv-hover)",
    "--mantine-color-disabled-color": "var(--mv-text-dim)",
    "--mantine-color-error": "var(--mv-red-ink)",
    "--mantine-color-placeholder": "var(--mv-text-dim)",
    "--mantine-color-brand-filled": "var(--mv-accent)",
    "--mantine-color-brand-filled-hover": "var(--mv-accent-hover)",
    "--mantine-primary-color-filled": "var(--mv-accent)",
    "--mantine-primary-color-filled-hover": "var(--mv-accent-hover)",
    "--mantine-primary-color-light": "var(--mv-brand-tint)",
    "--mantine-primary-color-light-hover": "var(--mv-brand-tint)",
    "--mantine-primary-color-light-color": "var(--mv-brand-ink)",
  };
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    "--mv-display-size": type.display[0],
    "--mv-display-line": type.display[1],
    "--mv-figure-size": type.figure[0],
    "--mv-quick": motion.quick,
    "--mv-calm": motion.calm,
  },
  light: mantineProperties("light"),
  dark: mantineProperties("dark"),
});

/** Tone of each verdict. The key order is the order in every chart. */
export const STATUS_COLORS = {
  valid: "green",
  risky: "yellow",
  unknown: "gray",
  invalid: "red",
} as const satisfies Record<Status, ToneName>;

/** In the order of every chart. */
export const STATUSES = Object.keys(STATUS_COLORS) as Status[];

/** Colour of a verdict's dot, for style sheets. */
export function statusColor(status: Status): string {
  return `var(--mv-${STATUS_COLORS[status]}-solid)`;
}

/** Quieter, for the bars of charts. */
export function statusFill(status: Status): string {
  return `var(--mv-${STATUS_COLORS[status]}-fill)`;
}
