/** Writes rows as text chunks and yields to the event loop in between. */
import { startTimeSlice } from "../base/event-loop-yield.ts";
import type { DownloadRow } from "./download-rows.ts";

export type TextFormat = {
  top?: string;
  row(row: DownloadRow): string;
  end?: string;
};

const CHUNK_CHARS = 64 * 1024;
/** Far fewer than a time slice takes. */
const ROWS_PER_CLOCK_CHECK = 16;

export async function* writeRows(
  batches: AsyncIterable<readonly DownloadRow[]>,
  { top = "", row: write, end = "" }: TextFormat,
  restMs?: number,
): AsyncGenerator<string> {
  let text = top;
  let rows = 0;
  const timeSlice = startTimeSlice(restMs);
  for await (const batch of batches) {
    await timeSlice.next(); // parsing the batch took time as well
    for (const row of batch) {
      text += write(row);
      if (text.length >= CHUNK_CHARS) {
        yield text;
        text = "";
      }
      if (++rows % ROWS_PER_CLOCK_CHECK === 0 && timeSlice.isOver) await timeSlice.next();
    }
  }
  if (text + end !== "") yield text + end;
}
