import { ApiKey } from "@mailvet/contract";
import { type TSchema, Type } from "typebox";
import { expect, test } from "vitest";
import { compileSerializer } from "./response-serializer.ts";

const serializerOf = (schema: TSchema) =>
  compileSerializer({ schema, method: "GET", url: "/", httpStatus: "200" }) as (answer: unknown) => string;
const serialized = (schema: TSchema, answer: unknown) => JSON.parse(serializerOf(schema)(answer));

const key = {
  id: "0b0f3a52-4c43-4f0e-8d0a-6a8a1c7f6f10",
  name: 'line\nbreak, "quote", \ud83d\udce7 and a lone surrogate: \ud83d',
  mode: "live",
  prefix: "mv_live_1234",
  scopes: ["validate", "read"],
  created_at: "2026-01-31T12:00:00.000Z",
  expires_at: null,
  last_used_at: "2026-01-31T12:00:00.000Z",
  revoked_at: null,
};

test("a response is serialised like JSON.stringify, null values included", () => {
  expect(serializerOf(Type.Array(ApiKey))([key, key])).toBe(JSON.stringify([key, key]));
});

test("fractions, empty strings and empty arrays are kept", () => {
  const schema = Type.Object({ score: Type.Number(), text: Type.String(), list: Type.Array(Type.String()) });
  const answer = { score: 0.95, text: "", list: [] };
  expect(serialized(schema, answer)).toEqual(answer);
});

test("properties that the schema does not name are left out", () => {
  expect(serialized(ApiKey, { ...key, keyHash: "secret" })).toEqual(key);
});

test("an absent optional property is left out", () => {
  const schema = Type.Object({ always: Type.Integer(), sometimes: Type.Optional(Type.Boolean()) });
  expect(serialized(schema, { always: 1, sometimes: undefined })).toEqual({ always: 1 });
  expect(serialized(schema, { always: 1, sometimes: true })).toEqual({ always: 1, sometimes: true });
});

test("where the schema leaves the type open, the value decides", () => {
  const schema = Type.Object({ either: Type.Union([Type.String(), Type.Integer()]), any: Type.Unknown() });
  for (const answer of [
    { either: "two", any: { deep: [1] } },
    { either: 2, any: null },
  ]) {
    expect(serialized(schema, answer)).toEqual(answer);
  }
});
