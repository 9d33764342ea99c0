/** The refusal of a file that cannot be read as a table, with the parser's message. */
import type { ListFileError } from "@mailvet/engine/list-file";
import { Refusal } from "./refusal.ts";

export function fileRefusal({ kind, message, found, limit }: ListFileError): Refusal {
  return new Refusal(kind, message, {
    errors: [{ pointer: "/file", message }],
    ...(found === undefined ? {} : { found }),
    ...(limit === undefined ? {} : { limit }),
  });
}
