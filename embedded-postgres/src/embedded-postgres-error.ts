/** What the caller can do about the error. The message leaves it open: only the caller knows what its settings are called. */
export type Remedy = "other_directory" | "other_server" | "other_user" | "same_version" | "move_data";

/** The embedded server cannot run here. The message says why, in a sentence for the person who started the program. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
  readonly remedies: readonly Remedy[];

  constructor(message: string, options: ErrorOptions & { remedies?: readonly Remedy[] } = {}) {
    super(message, options);
    this.remedies = options.remedies ?? [];
  }
}
