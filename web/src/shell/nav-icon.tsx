/** Navigation icons as SVG paths. Decorative: each has a label beside it. */
import { Icon } from "../components/icon.tsx";

const PATHS = {
  overview: "M3 10.5 10 4l7 6.5M5 9v7.5h10V9M8.5 16.5v-4h3v4",
  validate: "M3 4.5h14v11H3zM3 5.5l7 5 7-5",
  bulk: "M7 5h10M7 10h10M7 15h10M3 5h.01M3 10h.01M3 15h.01",
  lists: "M4 4h12v13l-6-4-6 4z",
  keys: "M9.5 10.5 17 3M14 6l2.5 2.5M10.5 13a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0z",
  webhooks:
    "M10 3v6.5M10 9.5 5.5 14M10 9.5l4.5 4.5M11.5 3a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM6 15.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM17 15.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0z",
  usage: "M3 17h14M5.5 17v-5M10 17V5M14.5 17V9",
  audit: "M5 3h10v14H5zM8 7h4M8 10h4M8 13h2.5",
  settings: "M3 6h8M15 6h2M3 14h2M9 14h8M15 6a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM9 14a2 2 0 1 1-4 0 2 2 0 0 1 4 0z",
  reference: "M4 4.5A1.5 1.5 0 0 1 5.5 3H16v11H5.5A1.5 1.5 0 0 0 4 15.5zM4 15.5A1.5 1.5 0 0 0 5.5 17H16v-3",
  accounts:
    "M12.5 17v-1.5a3.5 3.5 0 0 0-7 0V17M11.5 8a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM16.5 17v-1.5A3.5 3.5 0 0 0 14 12.100M12.5 5.600a2.5 2.5 0 0 1 0 4.800",
  jobs: "M3 5h14v11H3zM7 5V3.5h6V5M3 10h14",
  operatorKeys: "M9.5 10.5 17 3M14 6l2.5 2.5M10.5 13a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0z",
  operatorAudit: "M5 3h10v14H5zM8 7h4M8 10h4M8 13h2.5",
  system: "M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01",
} as const;

export function NavIcon({ name }: { name: keyof typeof PATHS }) {
  return <Icon path={PATHS[name]} />;
}
