/**
 * What a request has charged, and what of it is returned when its answer is about to be written
 * (http/middleware/settle-charges.ts). A request charges at most once, before anything is asked, and gets at most one refund.
 */
import type { Status } from "@mailvet/contract";
import type { Caller } from "../base/caller.ts";
import type { Posting } from "./post.ts";

export class RequestCharge {
  readonly accountId: string;
  /** Null: the web app. */
  readonly keyId: string | null;
  /** The key of its entries: the same when the request is repeated under its Idempotency-Key. */
  readonly key: string;
  readonly reference: string;
  /** Credits charged. */
  amount = 0;
  /** Whether they were is not known: the connection was lost, and the time was up. */
  isUncertain = false;
  /** Of these, credits for verdicts that are returned by policy (refund-policy.ts), although they are answered. */
  returned = 0;
  /** After the charge, or its refund. */
  balance: number | undefined;
  /** Its refund has been decided. */
  isSettled = false;
  /** Verdicts that were paid for. */
  counts: Record<Status, number> | undefined;

  constructor(
    { accountId, by }: Pick<Caller, "accountId" | "by">,
    requestId: string,
    idempotencyKey: string | undefined,
  ) {
    this.accountId = accountId;
    this.keyId = by.kind === "key" ? by.keyId : null;
    this.key = idempotencyKey ?? requestId;
    this.reference = requestId;
  }

  amountOf(what: "all" | "returned"): number {
    return what === "all" ? this.amount : Math.min(this.amount, this.returned);
  }

  charge(): Posting {
    const { accountId, keyId, key, reference, amount } = this;
    return { kind: "charge", accountId, key, amount, subject: "check", reference, keyId };
  }

  /**
   * Everything, or what is returned by policy. An uncertain charge is written first, so that a lost statement that is
   * committed later finds it.
   */
  refund(what: "all" | "returned"): Posting[] {
    const { accountId, key, isUncertain } = this;
    const amount = this.amountOf(what);
    if (amount === 0) return [];
    return [...(isUncertain ? [this.charge()] : []), { kind: "refund", accountId, key, amount }];
  }
}
