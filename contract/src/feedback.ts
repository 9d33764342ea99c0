/** Delivery outcomes reported by the sender, and how they compare with the predictions. */
import { type Static, Type } from "typebox";
import { Count, Day, Moment, Nullable, OneOf } from "./shape.ts";
import { OUTCOMES } from "./words.ts";

export const MAX_OUTCOMES = 1000;

const outcomeFields = {
  email: Type.String({ description: "Recipient of the message." }),
  outcome: OneOf(OUTCOMES, {
    description: "What happened to the message. Do not report soft bounces or delays.",
  }),
  occurred_at: Type.Optional(Moment("When it happened. Defaults to now.")),
};

export const ReportedOutcome = Type.Object(outcomeFields, { additionalProperties: false });
export type ReportedOutcome = Static<typeof ReportedOutcome>;

/** One outcome, or a list of them. */
export const FeedbackRequest = Type.Object(
  {
    email: Type.Optional(outcomeFields.email),
    outcome: Type.Optional(outcomeFields.outcome),
    occurred_at: outcomeFields.occurred_at,
    outcomes: Type.Optional(
      Type.Array(ReportedOutcome, {
        minItems: 1,
        maxItems: MAX_OUTCOMES,
        description: "List of outcomes, instead of the other fields.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type FeedbackRequest = Static<typeof FeedbackRequest>;

export const MAX_UNREADABLE_SHOWN = 20;

export const UnreadableRow = Type.Object({
  row: Count("Row of the file or item of the list, from 1, without the header."),
  reason: Type.String({ description: "What is wrong with the row." }),
});
export type UnreadableRow = Static<typeof UnreadableRow>;

/** received = stored + superseded + ignored + unreadable. */
export const FeedbackSummary = Type.Object({
  received: Count("Rows or items received."),
  stored: Count("Mailboxes whose outcome was stored."),
  superseded: Count("Rows skipped because a newer outcome of the mailbox exists."),
  ignored: Count("Rows ignored: soft bounces, delays, sandbox addresses, and outcomes that are too old."),
  unreadable: Count("Rows without a recognisable address or outcome."),
  matched: Count("Stored mailboxes that have an earlier verdict."),
  unreadable_rows: Type.Array(UnreadableRow, {
    description: `The first ${MAX_UNREADABLE_SHOWN} unreadable rows.`,
  }),
});
export type FeedbackSummary = Static<typeof FeedbackSummary>;

const Rate = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const comparison = {
  outcomes: Count("Mailboxes with both a verdict and an outcome."),
  predicted_bounce_rate: Rate("Predicted by the uncalibrated scores."),
  calibrated_bounce_rate: Rate("Predicted by the current, calibrated scores."),
  real_bounce_rate: Rate("Observed."),
};

export const BounceComparison = Type.Object(comparison);
export type BounceComparison = Static<typeof BounceComparison>;

export const MAX_PROVIDERS_SHOWN = 20;

export const FeedbackReport = Type.Object({
  from: Day("First day of the report. Older outcomes are deleted, except complaints."),
  totals: Type.Object({
    delivered: Count("Mailboxes with a delivery."),
    bounced: Count("Mailboxes with a bounce."),
    complained: Count("Mailboxes with a complaint."),
    matched: Count("Mailboxes of these that have an earlier verdict."),
  }),
  overall: Nullable(BounceComparison, "Null until an outcome matches a verdict."),
  by_score: Type.Array(
    Type.Object({
      from: Count("Lowest uncalibrated score of the band."),
      to: Count("Highest uncalibrated score of the band."),
      ...comparison,
    }),
    { description: "Score bands with outcomes, highest first." },
  ),
  by_provider: Type.Array(
    Type.Object({ provider: Type.String({ description: "As in `details.provider`." }), ...comparison }),
    { description: `Providers with the most outcomes, up to ${MAX_PROVIDERS_SHOWN}.` },
  ),
  by_week: Type.Array(Type.Object({ week: Day("Monday of the week, in UTC."), ...comparison }), {
    description: "Weeks with outcomes, newest first.",
  }),
});
export type FeedbackReport = Static<typeof FeedbackReport>;
