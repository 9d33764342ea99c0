/** Delivery feedback: reported outcomes, and predicted against actual bounces. */
import { type Static, Type } from "typebox";
import { Count, Day, Moment, Nullable, OneOf } from "./shape.ts";
import { OUTCOMES } from "./words.ts";

export const MAX_OUTCOMES = 1000;

const outcomeFields = {
  email: Type.String({ description: "Recipient of the message." }),
  outcome: OneOf(OUTCOMES, {
    description: "Delivery outcome. Do not report soft bounces and delays.",
  }),
  occurred_at: Type.Optional(Moment("Time of the outcome. Default: now.")),
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
        description: "Several outcomes, instead of the other fields.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type FeedbackRequest = Static<typeof FeedbackRequest>;

export const MAX_UNREADABLE_SHOWN = 20;

export const UnreadableRow = Type.Object({
  row: Count("Number of the row or list item, from 1, not counting a header."),
  reason: Type.String({ description: "What is wrong with the row, in a sentence." }),
});
export type UnreadableRow = Static<typeof UnreadableRow>;

/** received = stored + superseded + ignored + unreadable. */
export const FeedbackSummary = Type.Object({
  received: Count("Rows or items received."),
  stored: Count("Mailboxes whose outcome was stored."),
  superseded: Count("Rows skipped because a newer outcome is known for the mailbox."),
  ignored: Count(
    "Rows that say nothing about the mailbox: soft bounces, delays, sandbox addresses, old messages.",
  ),
  unreadable: Count("Rows without a readable address or outcome."),
  matched: Count("Stored outcomes of mailboxes that had been validated before."),
  unreadable_rows: Type.Array(UnreadableRow, {
    description: `The first ${MAX_UNREADABLE_SHOWN} unreadable rows.`,
  }),
});
export type FeedbackSummary = Static<typeof FeedbackSummary>;

const Rate = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const comparison = {
  outcomes: Count("Mailboxes with a verdict and an outcome."),
  predicted_bounce_rate: Rate("Predicted by the uncalibrated scores."),
  calibrated_bounce_rate: Rate("Predicted by the calibrated scores."),
  real_bounce_rate: Rate("Actual bounce rate."),
};

export const BounceComparison = Type.Object(comparison);
export type BounceComparison = Static<typeof BounceComparison>;

export const MAX_PROVIDERS_SHOWN = 20;

export const FeedbackReport = Type.Object({
  from: Day("First day of the report; older outcomes are deleted, except complaints."),
  totals: Type.Object({
    delivered: Count("Mailboxes."),
    bounced: Count("Mailboxes."),
    complained: Count("Mailboxes."),
    matched: Count("Mailboxes that had been validated before."),
  }),
  overall: Nullable(BounceComparison, "Null until there is an outcome for a validated mailbox."),
  by_score: Type.Array(
    Type.Object({
      from: Count("Lowest uncalibrated score of the band."),
      to: Count("Highest uncalibrated score of the band."),
      ...comparison,
    }),
    { description: "Bands with outcomes, highest scores first." },
  ),
  by_provider: Type.Array(
    Type.Object({ provider: Type.String({ description: "As in `details.provider`." }), ...comparison }),
    { description: `Providers with the most outcomes, at most ${MAX_PROVIDERS_SHOWN}.` },
  ),
  by_week: Type.Array(Type.Object({ week: Day("Monday of the week, in UTC."), ...comparison }), {
    description: "Weeks with outcomes, newest first.",
  }),
});
export type FeedbackReport = Static<typeof FeedbackReport>;
