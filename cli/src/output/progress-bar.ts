/**
 * A progress bar on standard error while a long list is worked on: shown on a terminal only, and only when
 * standard output goes elsewhere, so that results and bar never fight over the same lines.
 */
import cliProgress from "cli-progress";
import { sizeOfList } from "../check/address-source.ts";

/** Below this a bar would be gone before anyone has read it. */
const WORTH_A_BAR = 20;

export type Progress = Disposable & { advance(email: string): void };

export async function progressOn(
  stream: NodeJS.WriteStream,
  named: number,
  list: string | undefined,
): Promise<Progress> {
  const isShown =
    stream.isTTY === true && process.stdout.isTTY !== true && (list !== undefined || named >= WORTH_A_BAR);
  if (!isShown) return { advance: () => {}, [Symbol.dispose]: () => {} };

  const totalBytes = list === undefined ? undefined : await sizeOfList(list);
  const format = totalBytes
    ? "{bar} {percentage} %  {checked} checked  ETA {eta_formatted}"
    : "{checked} checked  {duration_formatted}";
  const bar = new cliProgress.SingleBar({ format, stream, hideCursor: true, clearOnComplete: true });
  bar.start(totalBytes ?? named, 0, { checked: 0 });
  let checked = 0;
  return {
    advance(email) {
      checked++;
      bar.increment(totalBytes ? Buffer.byteLength(email) + 1 : 1, { checked: checked.toLocaleString("en") });
    },
    [Symbol.dispose]: () => bar.stop(),
  };
}
