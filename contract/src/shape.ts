/** Building blocks of the schemas. */
import { type TEnum, type TSchema, type TSchemaOptions, Type } from "typebox";

/** The value or null. Fields are always present; null means no value. */
export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description ? { description } : {});

/** A string enum. */
export const OneOf = <T extends string>(values: readonly T[], options: TSchemaOptions = {}): TEnum<T[]> =>
  Type.Enum([...values], options);

export const Uuid = (description: string) => Type.String({ format: "uuid", description });

/** RFC 3339 timestamp in UTC. */
export const Moment = (description: string) => Type.String({ format: "date-time", description });

export const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** RFC 3339 full-date. */
export const Day = (description: string) => Type.String({ format: "date", description });

export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 10;

/** Query parameters of paged lists. */
export const Paging = {
  skip: Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE }),
};
