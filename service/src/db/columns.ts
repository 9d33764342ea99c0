/** Column types shared by all tables. */
import { customType, timestamp } from "drizzle-orm/pg-core";

export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
export const moment = () => timestamp({ withTimezone: true, mode: "date" });
export const createdAt = () => moment().notNull().defaultNow();
