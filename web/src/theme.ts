/** Mantine theme. Shades are chosen for a text contrast of at least 4.5:1 in both colour schemes. */
import type { Status } from "@mailvet/contract";
import { Badge, type CSSVariablesResolver, createTheme, Modal, NavLink } from "@mantine/core";
import { common } from "./messages.ts";

export const theme = createTheme({
  primaryColor: "cyan",
  primaryShade: { light: 9, dark: 5 },
  autoContrast: true,
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  headings: { fontWeight: "650" },
  components: {
    Badge: Badge.extend({ defaultProps: { variant: "light", tt: "none" } }),
    Modal: Modal.extend({
      defaultProps: {
        closeButtonProps: { "aria-label": common.close },
        overlayProps: { backgroundOpacity: 0.5, blur: 2 },
        padding: "lg",
        // Mantine renders a <header>, which would be a second banner landmark.
        attributes: { header: { role: "presentation" } },
      },
      styles: { title: { fontSize: "var(--mantine-font-size-lg)", fontWeight: 650 } },
    }),
    NavLink: NavLink.extend({ styles: { root: { borderRadius: "var(--mantine-radius-md)" } } }),
  },
});

const lighter = (color: string, percent: number) =>
  `color-mix(in srgb, var(--mantine-color-${color}) ${percent}%, white)`;
const darker = (color: string, percent: number) =>
  `color-mix(in srgb, var(--mantine-color-${color}), black ${percent}%)`;

/** Mantine's default shades have too little contrast for small text here. */
const FILLED = {
  "--mantine-color-cyan-filled": "var(--mantine-color-cyan-9)",
  "--mantine-color-cyan-filled-hover": darker("cyan-9", 15),
  "--mantine-primary-color-filled": "var(--mantine-color-cyan-9)",
  "--mantine-primary-color-filled-hover": darker("cyan-9", 15),
  "--mantine-color-red-filled": "var(--mantine-color-red-9)",
  "--mantine-color-red-filled-hover": darker("red-9", 15),
  "--mantine-color-gray-filled": "var(--mantine-color-gray-6)",
};

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...FILLED,
    "--mailvet-ground": "var(--mantine-color-gray-0)",
    "--mantine-color-dimmed": "var(--mantine-color-gray-7)",
    "--mantine-color-cyan-light": lighter("cyan-9", 11),
    "--mantine-color-cyan-light-hover": lighter("cyan-9", 17),
    "--mantine-primary-color-light": lighter("cyan-9", 11),
    "--mantine-primary-color-light-hover": lighter("cyan-9", 17),
    "--mantine-color-error": "var(--mantine-color-red-9)",
    "--mantine-color-yellow-light-color": darker("yellow-9", 50),
    "--mantine-color-teal-light-color": darker("teal-9", 20),
    "--mantine-color-red-light-color": darker("red-9", 10),
    "--mantine-color-gray-light-color": "var(--mantine-color-gray-8)",
  },
  dark: {
    ...FILLED,
    "--mailvet-ground": "var(--mantine-color-dark-8)",
    "--mantine-color-text": "var(--mantine-color-gray-2)",
    "--mantine-color-dimmed": "var(--mantine-color-dark-1)",
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--mantine-color-gray-light": "var(--mantine-color-dark-5)",
    "--mantine-color-gray-light-hover": "var(--mantine-color-dark-4)",
  },
});

/** Verdict colours of badges. Always shown with the verdict's name: colour alone is not accessible. */
export const STATUS_COLORS = { valid: "teal", invalid: "red", risky: "yellow", unknown: "gray" } as const;

/** Verdict colours of charts, with enough contrast to the background. The key order is the order in every chart. */
export const STATUS_CHART_COLORS = {
  valid: "teal.7",
  risky: "yellow.6",
  unknown: "gray.6",
  invalid: "red.7",
} as const;

/** In the order of every chart. */
export const STATUSES = Object.keys(STATUS_CHART_COLORS) as Status[];

/** Chart colour of a verdict, for style sheets. */
export function statusColor(status: Status): string {
  return `var(--mantine-color-${STATUS_CHART_COLORS[status].replace(".", "-")})`;
}
