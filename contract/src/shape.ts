/** Building blocks of the schemas. */
import { type TEnum, type TSchema, type TSchemaOptions, Type } from "typebox";

/** The value, or null: the field is always present. */
export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description ? { description } : {});

/** One of a fixed list of strings. */
export const OneOf = <T extends string>(words: readonly T[], options: TSchemaOptions = {}): TEnum<T[]> =>
  Type.Enum([...words], options);

export const Uuid = (description: string) => Type.String({ format: "uuid", description });

/** RFC 3339 timestamp in UTC. */
export const Moment = (description: string) => Type.String({ format: "date-time", description });

export const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** RFC 3339 date. */
export const Day = (description: string) => Type.String({ format: "date", description });

/** Present in test mode only. */
export const Sandbox = Type.Optional(
  Type.Literal(true, { description: "Made in test mode: the verdicts are simulated." }),
);

export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 10;

/** Paging of every list. */
export const Paging = {
  skip: Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE }),
};
