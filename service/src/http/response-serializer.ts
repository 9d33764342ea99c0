/**
 * JSON serialisers, compiled from the contract's schemas.
 *
 * They take half as long as JSON.stringify, and properties that the schema does not name never leave the service.
 */
import compile, { type Schema } from "fast-json-stringify";
import type { FastifySerializerCompiler } from "fastify";
import type { TSchema } from "typebox";
import { compiledOnUse } from "../base/compiled-on-use.ts";

const serializerOf = compiledOnUse((schema: TSchema) => compile(serializableSchema(schema)));

export const compileSerializer: FastifySerializerCompiler<TSchema> = ({ schema }) => {
  const serializer = serializerOf(schema);
  return (data) => serializer()(data);
};

type JsonSchema = {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
};

/** Keeps only the keywords that matter for serialising. Where the type is open, the value decides. */
function serializableSchema({
  type,
  properties,
  required = [],
  items,
  enum: values,
  anyOf,
}: JsonSchema): Schema {
  const [first, second, ...others] = anyOf ?? [];
  if (first && second?.type === "null" && others.length === 0)
    return { ...serializableSchema(first), nullable: true } as Schema;
  if (values?.every((value) => typeof value === "string")) return { type: "string" };
  if (type === "array" && items) return { type, items: serializableSchema(items) };
  if (type === "object" && properties) {
    const schemas = Object.entries(properties).map(([name, property]) => [
      name,
      serializableSchema(property),
    ]);
    return { type, properties: Object.fromEntries(schemas), required };
  }
  return (type === undefined || type === "array" || type === "object" ? {} : { type }) as Schema;
}
