/** How many questions may be put to the language model on a day (UTC), counted across all processes before they are put. */
import type pg from "pg";

export type DailyBudget = {
  /** How many of so many questions may be put now. */
  reserve(count: number): Promise<number>;
  /** Today's questions, of all processes. */
  askedToday(): Promise<number>;
  /** Nothing was left a moment ago. */
  isUsedUp(): boolean;
  eraseOld(): Promise<void>;
};

export type DailyBudgetDeps = {
  pool: Pick<pg.Pool, "query">;
  questionsPerDay: number;
  say: (text: string) => void;
};

/** While nothing is left, the table is looked at this often: a new day may have begun, or somebody raised the budget. */
const LOOK_AGAIN_MS = 30_000;
const KEPT_DAYS = 90;

export function createDailyBudget({ pool, questionsPerDay, say }: DailyBudgetDeps): DailyBudget {
  let usedUpUntilMs = Number.NEGATIVE_INFINITY;
  let daySaid: string | undefined;

  const tellUsedUp = () => {
    usedUpUntilMs = performance.now() + LOOK_AGAIN_MS;
    const day = new Date().toISOString().slice(0, 10);
    if (day === daySaid) return;
    daySaid = day;
    say(
      `The language model has been asked ${questionsPerDay} questions today, which is AI_DAILY_BUDGET: ` +
        "the local model judges alone until midnight UTC.",
    );
  };

  return {
    async reserve(count) {
      const { rows } = await pool.query<{ asked: number }>({
        name: "reserve_ai_questions",
        text: RESERVE,
        values: [count, questionsPerDay],
      });
      const before = rows[0] ? rows[0].asked - count : questionsPerDay;
      const granted = Math.min(count, questionsPerDay - before);
      if (granted < count) tellUsedUp();
      return granted;
    },
    async askedToday() {
      const { rows } = await pool.query<{ asked: number }>(ASKED_TODAY);
      return Math.min(rows[0]?.asked ?? 0, questionsPerDay);
    },
    isUsedUp: () => performance.now() < usedUpUntilMs,
    async eraseOld() {
      await pool.query(ERASE_OLD, [KEPT_DAYS]);
    },
  };
}

const TODAY = "(now() at time zone 'utc')::date";

// The last to come before the budget is used up may count more than it is granted, so that the row tells what was
// there before; nobody counts anything after that.
const RESERVE = `
insert into ai_questions as today (day, asked) values (${TODAY}, $1)
on conflict (day) do update set asked = today.asked + excluded.asked where today.asked < $2
returning asked`;

const ASKED_TODAY = `select asked from ai_questions where day = ${TODAY}`;
const ERASE_OLD = `delete from ai_questions where day < ${TODAY} - $1::integer`;
