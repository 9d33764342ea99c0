/** CPU time that the hypervisor gave to other machines: the load average does not show it, and every rate suffers from it. */
import { readFileSync } from "node:fs";

type CpuTimes = { stolen: number; all: number };

/** Since the start of the machine, in ticks. Undefined except on Linux. */
function cpuTimes(): CpuTimes | undefined {
  try {
    const ticks = readFileSync("/proc/stat", "utf8").split("\n", 1)[0]!.split(/\s+/).slice(1, 9).map(Number);
    return { stolen: ticks[7] ?? 0, all: ticks.reduce((sum, one) => sum + one, 0) };
  } catch {
    return undefined;
  }
}

/** Call the result at the end: ", 12 % of the CPU time stolen", or nothing. */
export function measureStolenTime(): () => string {
  const before = cpuTimes();
  return () => {
    const after = cpuTimes();
    if (!before || !after || after.all === before.all) return "";
    const share = (after.stolen - before.stolen) / (after.all - before.all);
    return `, ${Math.round(share * 100)} % of the CPU time stolen`;
  };
}
