/** Saved lists: the rows of a completed job, kept beyond the retention and re-validated on a schedule. */
import { type Static, Type } from "typebox";
import { Count, Moment, Nullable, OneOf, Sandbox, Uuid } from "./shape.ts";
import { ALL_SUB_STATUSES, STATUSES } from "./verdict.ts";
import { LIST_SCHEDULES } from "./words.ts";

const Settings = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), { maxItems: 20, uniqueItems: true }),
  schedule: Nullable(OneOf(LIST_SCHEDULES), "How often stale results are checked again; null: never."),
  stale_after_days: Type.Integer({
    minimum: 1,
    maximum: 365,
    description: "Results older than this, to the nearest day, are stale; an `unknown` always is.",
  }),
};

export const SavedList = Type.Object({
  id: Uuid("ID of the list."),
  sandbox: Sandbox,
  job_id: Uuid("The job with its rows and results."),
  ...Settings,
  created_at: Moment("Creation time."),
  next_run_at: Nullable(Moment("Next scheduled run.")),
  last_run_at: Nullable(Moment("Last run.")),
  last_error: Nullable(Type.String(), "Why the last run did not start, such as too few credits."),
  newly_invalid: Count("In the last run: emails that have become invalid."),
  recovered: Count("In the last run: emails that have become valid."),
});
export type SavedList = Static<typeof SavedList>;

export const CreateListRequest = Type.Object(
  {
    job_id: Uuid("A completed job."),
    name: Settings.name,
    tags: Type.Optional(Settings.tags),
    schedule: Type.Optional(Settings.schedule),
    stale_after_days: Type.Optional(Settings.stale_after_days),
  },
  { additionalProperties: false },
);
export type CreateListRequest = Static<typeof CreateListRequest>;

export const UpdateListRequest = Type.Partial(Type.Object(Settings), { additionalProperties: false });
export type UpdateListRequest = Static<typeof UpdateListRequest>;

export const ListChange = Type.Object({
  row: Count("Row number."),
  email: Type.String(),
  status: OneOf(STATUSES),
  sub_status: OneOf(ALL_SUB_STATUSES),
  previous_status: OneOf(STATUSES),
  previous_sub_status: OneOf(ALL_SUB_STATUSES),
});
export type ListChange = Static<typeof ListChange>;
