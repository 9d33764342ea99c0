/**
 * Validates requests against the contract's schemas, with validators that TypeBox compiles.
 *
 * Bodies are not changed: nothing is coerced, defaulted or dropped. Paths and query strings arrive as text, so numbers
 * and booleans are parsed and defaults applied. An ID of a resource that is no UUID is read as one that does not exist, so
 * that the use case answers it like any unknown ID. Why not TypeBoxValidatorCompiler of the type provider:
 * docs/decisions/0008-own-request-validator.md.
 */
import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { IsUuid } from "typebox/format";
import { compiledOnUse } from "../base/compiled-on-use.ts";
import { pointerPart, Refusal } from "../base/refusal.ts";

const PART_NAMES: Readonly<Record<string, string>> = {
  body: "body",
  querystring: "query string",
  params: "path",
  headers: "headers",
};

const validatorOf = compiledOnUse((schema: TSchema) => Compile(schema));

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = "body" }) => {
  const validator = validatorOf(schema);
  const coerce = httpPart === "body" ? (value: unknown) => value : textCoercion(schema);
  const replaceIds = httpPart === "querystring" ? (value: unknown) => value : idReplacement(schema);
  const findLongArray = arrayLengthCheck(schema);
  const maxProperties = propertiesOf(schema).length + MAX_UNKNOWN_PROPERTIES;
  return (input: unknown) => {
    const value = replaceIds(coerce(input));
    const longArray = findLongArray(value);
    if (!longArray && validator().Check(value)) return { value };
    const sizeError = longArray ?? findTooManyProperties(value, maxProperties);
    const errors = sizeError ? [sizeError] : explain(validator().Errors(value));
    const detail = `Invalid ${PART_NAMES[httpPart]}: ${sentenceOf(errors[0])}`;
    return { error: new Refusal("validation_failed", detail, { errors }) };
  };
};

type Property = {
  type?: string;
  format?: string;
  default?: unknown;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: { enum?: readonly unknown[] };
};
const INTEGER = /^-?\d{1,15}$/;
const NUMBER = /^-?\d{1,15}(\.\d{1,30})?$/;

/** Stricter than Number(): text in any other notation stays text, and fails validation. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  integer: (text) => (INTEGER.test(text) ? Number(text) : text),
  number: (text) => (NUMBER.test(text) ? Number(text) : text),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : text),
};

const propertiesOf = (schema: TSchema) =>
  Object.entries((schema as { properties?: Record<string, Property> }).properties ?? {});

function textCoercion(schema: TSchema): (value: unknown) => unknown {
  const properties = propertiesOf(schema);
  return (input) => {
    const value: Record<string, unknown> = { ...(input as Record<string, unknown>) };
    for (const [name, { type, default: fallback }] of properties) {
      const text = value[name];
      if (text === undefined && fallback !== undefined) value[name] = fallback;
      if (typeof text === "string" && type) value[name] = PARSERS[type]?.(text) ?? text;
    }
    return value;
  };
}

/** Never generated, so no resource has it (RFC 9562, section 5.9). */
const NIL_UUID = "00000000-0000-0000-0000-000000000000";

function idReplacement(schema: TSchema): (value: unknown) => unknown {
  const names = propertiesOf(schema).flatMap(([name, { format }]) => (format === "uuid" ? [name] : []));
  return (input) => {
    if (typeof input !== "object" || input === null) return input;
    const value = input as Record<string, unknown>;
    const isInvalid = (name: string) => typeof value[name] === "string" && !IsUuid(value[name]);
    const invalid = names.filter(isInvalid);
    if (invalid.length === 0) return value;
    return { ...value, ...Object.fromEntries(invalid.map((name) => [name, NIL_UUID])) };
  };
}

/**
 * Checks array lengths before TypeBox visits the items. For `uniqueItems` it compares every pair: twenty thousand equal
 * items block the process for more than two seconds, a hundred thousand for a minute.
 */
function arrayLengthCheck(schema: TSchema): (value: unknown) => FieldError | undefined {
  const limits = propertiesOf(schema).flatMap(([name, { maxItems, uniqueItems, items }]) => {
    const limit = maxItems ?? (uniqueItems ? items?.enum?.length : undefined);
    return limit === undefined ? [] : [{ name, limit }];
  });
  return (value) => {
    for (const { name, limit } of limits) {
      const list = (value as Record<string, unknown> | undefined | null)?.[name];
      if (Array.isArray(list) && list.length > limit) {
        return { pointer: `/${name}`, message: `must have at most ${counted(limit, "item")}` };
      }
    }
    return undefined;
  };
}

const MAX_UNKNOWN_PROPERTIES = 100;

/** TypeBox visits every property to report a few of them: a hundred thousand block the process for 0.2 s. */
function findTooManyProperties(value: unknown, maxProperties: number): FieldError | undefined {
  let count = 0;
  if (typeof value === "object" && !Array.isArray(value)) {
    for (const _ in value) {
      if (++count > maxProperties) return { pointer: "", message: "has too many properties" };
    }
  }
  return undefined;
}

type FieldError = { pointer: string; message: string };

/** Property names come from the client and have any length. */
const MAX_POINTER_LENGTH = 200;

/** At most one error per pointer. TypeBox reports at most 8. */
function explain(errors: readonly TLocalizedValidationError[]): FieldError[] {
  const fieldErrors = new Map<string, string>();
  for (const error of errors) {
    // The error of the first variant is more useful than "no variant matches".
    if (error.keyword === "anyOf" && fieldErrors.has(error.instancePath)) continue;
    for (const { pointer, message } of fieldErrorsOf(error)) {
      const key = pointer.slice(0, MAX_POINTER_LENGTH);
      if (!fieldErrors.has(key)) fieldErrors.set(key, message);
    }
  }
  return [...fieldErrors].map(([pointer, message]) => ({ pointer, message }));
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
  null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "a UUID",
  date: "a date such as 2026-01-31",
  "date-time": "a timestamp such as 2026-01-31T12:00:00Z",
  uri: "a URL such as https://example.com/hook",
};

function fieldErrorsOf(error: TLocalizedValidationError): FieldError[] {
  const pointer = error.instancePath;
  const message = (text: string): FieldError[] => [{ pointer, message: text }];
  switch (error.keyword) {
    case "required":
      return error.params.requiredProperties.map((name) => ({
        pointer: pointer + pointerPart(name),
        message: "is required",
      }));
    case "boolean": // TypeBox: the schema of an additional property is `false`
      return message("is unknown");
    case "additionalProperties":
      return []; // reported one by one as "boolean"
    case "type":
      return message(
        `must be ${[error.params.type]
          .flat()
          .map((type) => TYPES[type] ?? type)
          .join(" or ")}`,
      );
    case "format":
      return message(`must be ${FORMATS[error.params.format] ?? error.params.format}`);
    case "enum":
      return message(`must be one of ${error.params.allowedValues.join(", ")}`);
    case "minLength":
      return message(`must have at least ${counted(error.params.limit, "character")}`);
    case "maxLength":
      return message(`must have at most ${counted(error.params.limit, "character")}`);
    case "minItems":
      return message(`must have at least ${counted(error.params.limit, "item")}`);
    case "maxItems":
      return message(`must have at most ${counted(error.params.limit, "item")}`);
    case "minimum":
      return message(`must be at least ${error.params.limit}`);
    case "maximum":
      return message(`must be at most ${error.params.limit}`);
    case "uniqueItems":
      return message("must not have duplicate items");
    default:
      return message(error.message);
  }
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function sentenceOf(error: FieldError | undefined): string {
  if (!error) return "it does not match the schema.";
  return `${error.pointer === "" ? "it" : error.pointer} ${error.message}.`;
}
