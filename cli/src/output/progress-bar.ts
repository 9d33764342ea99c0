/**
 * Progress bar on standard error for `mailvet check`. Shown only when standard error is a terminal and standard
 * output is not, so that bar and results never share the screen.
 */
import { sizeOfList } from "../check/address-source.ts";

/** Shorter lists finish before a bar could be read. */
const MIN_ADDRESSES = 20;

export type ProgressBar = Disposable & { advance(email: string): void };

export async function progressBarOn(
  stream: NodeJS.WriteStream,
  argumentCount: number,
  list: string | undefined,
): Promise<ProgressBar> {
  const isShown =
    stream.isTTY === true &&
    process.stdout.isTTY !== true &&
    (list !== undefined || argumentCount >= MIN_ADDRESSES);
  if (!isShown) return { advance: () => {}, [Symbol.dispose]: () => {} };

  const { default: cliProgress } = await import("cli-progress");
  const totalBytes = list === undefined ? undefined : await sizeOfList(list);
  const format = totalBytes
    ? "{bar} {percentage} %  {checked} checked  ETA {eta_formatted}"
    : "{checked} checked  {duration_formatted}";
  const bar = new cliProgress.SingleBar({ format, stream, hideCursor: true, clearOnComplete: true });
  bar.start(totalBytes ?? argumentCount, 0, { checked: 0 });
  let checked = 0;
  return {
    advance(email) {
      checked++;
      bar.increment(totalBytes ? Buffer.byteLength(email) + 1 : 1, { checked: checked.toLocaleString("en") });
    },
    [Symbol.dispose]: () => bar.stop(),
  };
}
