/** The refusal of a list that cannot be read as a table, with the parser's message. `pointer`: where the request has the list. */
import type { ListFileError } from "@mailvet/engine/list-file";
import { Refusal } from "./refusal.ts";

export function fileRefusal({ kind, message, found, limit }: ListFileError, pointer: string): Refusal {
  return new Refusal(kind, message, {
    errors: [{ pointer: kind === "sheet_not_found" ? "/sheet" : pointer, message }],
    ...(found === undefined ? {} : { found }),
    ...(limit === undefined ? {} : { limit }),
  });
}
