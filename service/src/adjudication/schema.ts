/** Table of the daily budget of questions to the language model. */
import { date, integer, pgTable } from "drizzle-orm/pg-core";

/** Questions asked per day (UTC), across all processes. */
export const aiQuestions = pgTable("ai_questions", {
  day: date().primaryKey(),
  asked: integer().notNull(),
});
