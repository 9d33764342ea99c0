/** For `node --import`: programs started by tests, benchmarks and the chaos run end with them, also when those are killed. */
import { leaveWithParent } from "./leave-with-parent.mjs";

leaveWithParent();
