/** Text of any length, written row by row: in pieces of moderate size, and with pauses in which others work. */

import { startTimeSlice } from "../event-loop-yield.ts";
import type { DownloadRow } from "./download-rows.ts";

export type TextForm = {
  top?: string;
  row(row: DownloadRow): string;
  end?: string;
};

const PIECE_CHARS = 64 * 1024;
/** How many rows are written before somebody looks at the clock: far less than a turn takes. */
const ROWS_PER_LOOK = 16;

export async function* writtenInTurns(
  batches: AsyncIterable<readonly DownloadRow[]>,
  { top = "", row: write, end = "" }: TextForm,
): AsyncGenerator<string> {
  let text = top;
  let rows = 0;
  const turn = startTimeSlice();
  for await (const batch of batches) {
    await turn.next(); // to get here from the database took a moment of its own
    for (const row of batch) {
      text += write(row);
      if (text.length >= PIECE_CHARS) {
        yield text;
        text = "";
      }
      if (++rows % ROWS_PER_LOOK === 0 && turn.isOver) await turn.next();
    }
  }
  if (text + end !== "") yield text + end;
}
