/** A request that is declined. The code is part of the API; the message is for people. */
import type { Problem, ProblemCode } from "@mailvet/contract";

/** What a problem document may carry besides its code and detail. */
export type RefusalExtras = Partial<
  Pick<Problem, "errors" | "required" | "available" | "found" | "limit">
> & {
  /** When a retry can succeed. */
  retryAfterSeconds?: number;
};

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: ProblemCode;
  readonly extras: RefusalExtras;

  constructor(code: ProblemCode, detail: string, extras: RefusalExtras = {}) {
    super(detail);
    this.code = code;
    this.extras = extras;
  }
}

/** The request is well-formed, but this value is not allowed. */
export function wrongValue(pointer: string, message: string, detail = message): Refusal {
  return new Refusal("validation_failed", detail, { errors: [{ pointer, message }] });
}

/** `fault` completes a sentence that begins with the field. */
export function wrongField(pointer: string, fault: string): Refusal {
  return wrongValue(pointer, fault, `${pointer} ${fault}.`);
}

/** A name in a JSON pointer (RFC 6901). Names come from the client and have any length. */
export function pointerPart(name: string): string {
  return `/${name.slice(0, MAX_NAME_CHARS).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

const MAX_NAME_CHARS = 100;
