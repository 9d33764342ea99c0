/** Small pieces that the schemas of every resource are made of. */
import { type TEnum, type TSchema, type TSchemaOptions, Type } from "typebox";

/** The value, or null where the interface promises a field that may have nothing to say. */
export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description ? { description } : {});

/** One of a closed list of words. */
export const OneOf = <T extends string>(words: readonly T[], options: TSchemaOptions = {}): TEnum<T[]> =>
  Type.Enum([...words], options);

export const Uuid = (description: string) => Type.String({ format: "uuid", description });

/** A moment as RFC 3339 text in UTC. */
export const Moment = (description: string) => Type.String({ format: "date-time", description });

export const Count = (description: string) => Type.Integer({ minimum: 0, description });
