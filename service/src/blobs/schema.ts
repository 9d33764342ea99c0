/** Table of blobs: which blob store belongs to this database. */
import { sql } from "drizzle-orm";
import { boolean, check, pgTable, uuid } from "drizzle-orm/pg-core";
import { moment } from "../db/columns.ts";

/** One row, created at the first start. */
export const blobStores = pgTable(
  "blob_stores",
  {
    isSingle: boolean().primaryKey().default(true),
    id: uuid().notNull().defaultRandom(), // also the content of the store's blob "installation"
    claimedAt: moment(), // when that blob was written
  },
  (table) => [check("blob_stores_single", sql`${table.isSingle}`)],
);
