/** Arguments for Node to run the built service as a process that ends with the one that starts it. */
import { fileURLToPath } from "node:url";

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export const LEAVE_WITH_PARENT = [
  "--import",
  new URL("../../scripts/preload-leave-with-parent.mjs", import.meta.url).href,
];

export const SERVICE_PROGRAM: readonly string[] = [...LEAVE_WITH_PARENT, pathOf("../dist/main.js")];
