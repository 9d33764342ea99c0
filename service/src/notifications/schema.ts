/** Tables of notifications: what an account wants to be told by email, and emails that wait to be sent. */
import { bigint, boolean, index, pgTable, smallint, text, uuid } from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { createdAt, moment } from "../db/columns.ts";

/** Without a row the defaults apply (notifications.ts). */
export const notificationSettings = pgTable("notification_settings", {
  accountId: accountId().primaryKey(),
  jobEmails: boolean().notNull(),
  lowCreditsThreshold: bigint({ mode: "number" }), // null: no email about low credits
  isLowNotified: boolean().notNull().default(false), // until the balance is above the threshold again
  refusalToldAt: moment(), // when the last email about a refused job was written
});

/** Written in the transaction that causes the email, sent by maintenance, then deleted. */
export const outgoingEmails = pgTable(
  "outgoing_emails",
  {
    id: uuid().primaryKey().defaultRandom(),
    accountId: accountId(),
    subject: text().notNull(),
    text: text().notNull(),
    createdAt: createdAt(),
    attempts: smallint().notNull().default(0),
    dueAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.dueAt)],
);
