/** What operators were told about egress identities. */
import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { moment } from "../db/columns.ts";

/** A mail provider refuses an identity, or a blocklist lists it (egress-watch.ts). Deleted when that ends. */
export const egressStates = pgTable(
  "egress_states",
  {
    identity: text().notNull(),
    provider: text().notNull(), // or zone of the blocklist
    state: text({ enum: ["refused", "listed"] }).notNull(),
    since: moment().notNull(),
    reply: text(), // or what the blocklist says
  },
  (table) => [primaryKey({ columns: [table.identity, table.provider] })],
);
