/**
 * Answers as JSON, by writers that are compiled from the contract's schemas once.
 *
 * They take half as long as JSON.stringify, and what a schema does not name never leaves the service.
 */
import compile, { type Schema } from "fast-json-stringify";
import type { FastifySerializerCompiler } from "fastify";
import type { TSchema } from "typebox";

export const compileJsonWriter: FastifySerializerCompiler<TSchema> = ({ schema }) => compile(shapeOf(schema));

type Described = {
  type?: string;
  properties?: Record<string, Described>;
  required?: string[];
  items?: Described;
  enum?: readonly unknown[];
  anyOf?: readonly Described[];
};

/** The schema without what says nothing about how a value is written. What it cannot tell is left to the value. */
function shapeOf({ type, properties, required = [], items, enum: words, anyOf }: Described): Schema {
  const [only, none, ...others] = anyOf ?? [];
  if (only && none?.type === "null" && others.length === 0)
    return { ...shapeOf(only), nullable: true } as Schema;
  if (words?.every((word) => typeof word === "string")) return { type: "string" };
  if (type === "array" && items) return { type, items: shapeOf(items) };
  if (type === "object" && properties) {
    const shapes = Object.entries(properties).map(([name, property]) => [name, shapeOf(property)]);
    return { type, properties: Object.fromEntries(shapes), required };
  }
  return (type === undefined || type === "array" || type === "object" ? {} : { type }) as Schema;
}
