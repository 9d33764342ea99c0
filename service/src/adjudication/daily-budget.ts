/** Daily limit (UTC) of questions to the language model, counted across all processes before they are asked. */
import type pg from "pg";
import type { LogEvent } from "../log-events.ts";

export type DailyBudget = {
  /** How many of these questions may be asked now. */
  reserve(count: number): Promise<number>;
  /** Of all processes. */
  askedToday(): Promise<number>;
  /** The budget was used up at the last look. */
  isUsedUp(): boolean;
  eraseOld(): Promise<void>;
};

export type DailyBudgetDeps = {
  pool: Pick<pg.Pool, "query">;
  questionsPerDay: number;
  log: LogEvent;
};

/** While the budget is used up, the table is read this often: a new day may have begun, or the budget was raised. */
const RECHECK_MS = 30_000;
const KEPT_DAYS = 90;

export function createDailyBudget({ pool, questionsPerDay, log }: DailyBudgetDeps): DailyBudget {
  let usedUpUntilMs = Number.NEGATIVE_INFINITY;
  let dayLogged: string | undefined;

  const noteUsedUp = () => {
    usedUpUntilMs = performance.now() + RECHECK_MS;
    const day = new Date().toISOString().slice(0, 10);
    if (day === dayLogged) return;
    dayLogged = day;
    log("adjudicator_budget_used_up", { questions: questionsPerDay });
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
      if (granted < count) noteUsedUp();
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

// The last request before the budget is used up may count more than it is granted, so that the row shows the count before
// it. Nothing is counted after that.
const RESERVE = `
insert into ai_questions as today (day, asked) values (${TODAY}, $1)
on conflict (day) do update set asked = today.asked + excluded.asked where today.asked < $2
returning asked`;

const ASKED_TODAY = `select asked from ai_questions where day = ${TODAY}`;
const ERASE_OLD = `delete from ai_questions where day < ${TODAY} - $1::integer`;
