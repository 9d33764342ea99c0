/** For `node --import`: whatever tests, benchmarks and the chaos run start ends with them, also when they are killed. */
import { leaveWithParent } from "./leave-with-parent.mjs";

leaveWithParent();
