import { ApiKey } from "@mailvet/contract";
import { type TSchema, Type } from "typebox";
import { expect, test } from "vitest";
import { compileJsonWriter } from "./response-serializer.ts";

const writerOf = (schema: TSchema) =>
  compileJsonWriter({ schema, method: "GET", url: "/", httpStatus: "200" }) as (answer: unknown) => string;
const written = (schema: TSchema, answer: unknown) => JSON.parse(writerOf(schema)(answer));

const key = {
  id: "0b0f3a52-4c43-4f0e-8d0a-6a8a1c7f6f10",
  name: 'line\nbreak, "quote", \ud83d\udce7 and half of one: \ud83d',
  mode: "live",
  prefix: "mv_live_1234",
  scopes: ["validate", "read"],
  created_at: "2026-01-31T12:00:00.000Z",
  expires_at: null,
  last_used_at: "2026-01-31T12:00:00.000Z",
  revoked_at: null,
};

test("an answer is written as it is, with what is null and what is not", () => {
  expect(writerOf(Type.Array(ApiKey))([key, key])).toBe(JSON.stringify([key, key]));
});

test("numbers keep their fraction, and empty texts and lists stay there", () => {
  const schema = Type.Object({ score: Type.Number(), text: Type.String(), list: Type.Array(Type.String()) });
  const answer = { score: 0.95, text: "", list: [] };
  expect(written(schema, answer)).toEqual(answer);
});

test("what the contract does not name never leaves the service", () => {
  expect(written(ApiKey, { ...key, keyHash: "secret" })).toEqual(key);
});

test("an optional field is left out when it is absent", () => {
  const schema = Type.Object({ always: Type.Integer(), sometimes: Type.Optional(Type.Boolean()) });
  expect(written(schema, { always: 1, sometimes: undefined })).toEqual({ always: 1 });
  expect(written(schema, { always: 1, sometimes: true })).toEqual({ always: 1, sometimes: true });
});

test("where a schema leaves the form open, the value decides", () => {
  const schema = Type.Object({ either: Type.Union([Type.String(), Type.Integer()]), any: Type.Unknown() });
  for (const answer of [
    { either: "two", any: { deep: [1] } },
    { either: 2, any: null },
  ]) {
    expect(written(schema, answer)).toEqual(answer);
  }
});
