/** How Mailvet looks. Shades are chosen for contrast: text reaches 4.5 : 1 in the light and in the dark. */
import { Badge, type CSSVariablesResolver, createTheme, Modal, NavLink } from "@mantine/core";

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
        closeButtonProps: { "aria-label": "Close" },
        overlayProps: { backgroundOpacity: 0.5, blur: 2 },
        padding: "lg",
        // Otherwise it counts as a second head of the page.
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

/** The shades that come with the components are too pale for small text in these places. */
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

/** The four verdicts, in charts and badges alike. Always beside their names: colour alone says nothing. */
export const STATUS_COLORS = { valid: "teal", invalid: "red", risky: "yellow", unknown: "gray" } as const;

/** The same for charts, dark enough to be told from the background, and in the order in which all of them show them. */
export const STATUS_CHART_COLORS = {
  valid: "teal.7",
  risky: "yellow.6",
  unknown: "gray.6",
  invalid: "red.7",
} as const;
