/** A file we cannot work with. The kind is for programs, the message a sentence for whoever sent the file. */
export class ListFileError extends Error {
  override readonly name = "ListFileTrouble";
  readonly kind: ListFileErrorKind;
  /** How many there are, and how many there may be. */
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
  | "too_many_rows";
