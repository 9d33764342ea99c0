/** What became of messages, told by those who sent them, and how well it was foreseen. */
import { type Static, Type } from "typebox";
import { Count, Day, Moment, Nullable, OneOf } from "./shape.ts";
import { OUTCOMES } from "./words.ts";

export const MAX_OUTCOMES = 1000;

const outcomeFields = {
  email: Type.String({ description: "To whom the message was sent." }),
  outcome: OneOf(OUTCOMES, {
    description: "What became of it. A soft bounce or a delay is none of these and is not reported.",
  }),
  occurred_at: Type.Optional(Moment("When; now unless told.")),
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
        description: "Many at once, instead of the other fields.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type FeedbackRequest = Static<typeof FeedbackRequest>;

export const MAX_UNREADABLE_SHOWN = 20;

export const UnreadableRow = Type.Object({
  row: Count(
    "Its place among the rows of the file or the items of the list, from 1; a header is not counted.",
  ),
  reason: Type.String({ description: "What is wrong with it, in a sentence." }),
});
export type UnreadableRow = Static<typeof UnreadableRow>;

/** received = stored + superseded + ignored + unreadable. */
export const FeedbackSummary = Type.Object({
  received: Count("Rows or items that were sent."),
  stored: Count("Mailboxes whose outcome is now this one."),
  superseded: Count("Rows about a mailbox of which something newer is known, from this request or before."),
  ignored: Count(
    "Rows that say nothing about the mailbox: soft bounces, delays, sandbox addresses, messages of too long ago.",
  ),
  unreadable: Count("Rows without an address or an outcome that can be understood."),
  matched: Count("Of the stored ones, mailboxes about which a verdict had been given before."),
  unreadable_rows: Type.Array(UnreadableRow, { description: `The first ${MAX_UNREADABLE_SHOWN} of them.` }),
});
export type FeedbackSummary = Static<typeof FeedbackSummary>;

const Rate = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const comparison = {
  outcomes: Count("Mailboxes with a verdict and an outcome."),
  predicted_bounce_rate: Rate("As the scores had it before anything was learned from outcomes."),
  calibrated_bounce_rate: Rate("As the scores would have it now."),
  real_bounce_rate: Rate("As it was."),
};

export const BounceComparison = Type.Object(comparison);
export type BounceComparison = Static<typeof BounceComparison>;

export const MAX_PROVIDERS_SHOWN = 20;

export const FeedbackReport = Type.Object({
  from: Day("Outcomes since this day are in it; older ones are erased, save for complaints."),
  totals: Type.Object({
    delivered: Count("Mailboxes."),
    bounced: Count("Mailboxes."),
    complained: Count("Mailboxes."),
    matched: Count("Mailboxes among all of these about which a verdict had been given before."),
  }),
  overall: Nullable(BounceComparison, "Null until an outcome meets a verdict."),
  by_score: Type.Array(
    Type.Object({
      from: Count("Lowest score of the band, as it was before anything was learned."),
      to: Count("Highest."),
      ...comparison,
    }),
    { description: "Bands with outcomes, the highest scores first." },
  ),
  by_provider: Type.Array(
    Type.Object({ provider: Type.String({ description: "As in `details.provider`." }), ...comparison }),
    { description: `Those with the most outcomes, at most ${MAX_PROVIDERS_SHOWN}.` },
  ),
  by_week: Type.Array(Type.Object({ week: Day("Its Monday, in UTC."), ...comparison }), {
    description: "Weeks with outcomes, the newest first.",
  }),
});
export type FeedbackReport = Static<typeof FeedbackReport>;
