/** Table of exports of accounts. */
import { bigint, integer, pgTable, uuid } from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { createdAt, moment } from "../db/columns.ts";

/** The newest of each account. */
export const accountExports = pgTable("account_exports", {
  accountId: accountId().primaryKey(),
  fileId: uuid().notNull(), // of the last complete one; part of the names of its blobs
  blobCount: integer().notNull().default(0),
  sizeBytes: bigint({ mode: "number" }).notNull().default(0),
  createdAt: createdAt(),
  expiresAt: moment(), // null: being written
});
