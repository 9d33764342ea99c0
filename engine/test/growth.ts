/**
 * How many times as much processor time a larger input takes as a smaller one.
 *
 * Work that is linear in its input grows by the ratio of the two sizes, quadratic work by its square. Both are measured
 * in the same run, as processor time of this process, and the least of several rounds counts: what else the machine is
 * busy with makes no difference.
 */
export async function growth<T>(
  work: (input: T) => unknown,
  { from, to }: { from: T; to: T },
): Promise<number> {
  let least = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    least = {
      from: Math.min(least.from, await cpuMicrosFor(() => work(from))),
      to: Math.min(least.to, await cpuMicrosFor(() => work(to))),
    };
  }
  return least.to / Math.max(least.from, RESOLUTION_MICROS);
}

const ROUNDS = 7;
/** What takes less cannot be measured. */
const RESOLUTION_MICROS = 500;

/** For input four times as large: four if the work is linear, sixteen if it is quadratic. */
export const LINEAR_AT_FOURFOLD = 10;

async function cpuMicrosFor(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
