/** A file that cannot be processed. `kind` is for programs, the message is a sentence for the sender. */
export class ListFileError extends Error {
  override readonly name = "ListFileError";
  readonly kind: ListFileErrorKind;
  /** Actual and maximum count. */
  readonly found?: number;
  readonly limit?: number;

  constructor(kind: ListFileErrorKind, message: string, counts?: { found?: number; limit: number }) {
    super(message);
    this.kind = kind;
    if (counts?.found !== undefined) this.found = counts.found;
    if (counts !== undefined) this.limit = counts.limit;
  }
}

export type ListFileErrorKind =
  | "empty_file"
  | "not_a_table"
  | "unsupported_file"
  | "undecodable_file"
  | "compression_bomb"
  | "payload_too_large"
  | "too_many_rows"
  | "sheet_not_found";
