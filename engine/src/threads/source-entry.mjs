// Entry of an engine thread that is started by the sources: `node --import tsx` does not reach worker threads on Node 20.
// biome-ignore lint/correctness/noUndeclaredDependencies: a dependency of the repository's development tools
import { register } from "tsx/esm/api";

register();
await import("./thread-main.ts");
