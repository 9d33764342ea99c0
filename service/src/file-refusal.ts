/** A customer's file that cannot be read as a table, declined in the words of whoever tried. */
import type { ListFileError } from "@mailvet/engine/list-file";
import { Refusal } from "./refusal.ts";

export function fileRefusal({ kind, message, found, limit }: ListFileError): Refusal {
  return new Refusal(kind, message, {
    errors: [{ pointer: "/file", message }],
    ...(found === undefined ? {} : { found }),
    ...(limit === undefined ? {} : { limit }),
  });
}
