/**
 * Ratio of CPU time for a larger input to that for a smaller one.
 *
 * Linear work grows by the ratio of the two sizes, quadratic work by its square. Both are measured in the same run as
 * CPU time of this process, and the minimum of several rounds counts, so other load on the machine does not matter.
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
/** Less cannot be measured. */
const RESOLUTION_MICROS = 500;

/** For input four times as large: four if the work is linear, sixteen if it is quadratic. */
export const LINEAR_AT_FOURFOLD = 10;

async function cpuMicrosFor(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
