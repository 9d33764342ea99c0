/**
 * Checks requests against the contract's schemas, with validators compiled from them once.
 *
 * Bodies are taken as they are: nothing is converted, filled in or dropped. In paths and query strings everything
 * arrives as text, so there numbers and booleans are read from it, and defaults are filled in.
 */
import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { Refusal } from "../refusal.ts";

const PART_NAMES: Readonly<Record<string, string>> = {
  body: "body",
  querystring: "query string",
  params: "path",
  headers: "headers",
};

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = "body" }) => {
  const validator = Compile(schema);
  const read = httpPart === "body" ? (value: unknown) => value : textReader(schema);
  const findTooLong = lengthGuard(schema);
  const mostMembers = propertiesOf(schema).length + MAX_UNKNOWN_MEMBERS;
  return (value: unknown) => {
    const given = read(value);
    const tooLong = findTooLong(given);
    if (!tooLong && validator.Check(given)) return { value: given };
    const tooMany = tooLong ?? findTooMany(given, mostMembers);
    const errors = tooMany ? [tooMany] : explain(validator.Errors(given));
    const detail = `The ${PART_NAMES[httpPart]} does not have the expected shape: ${inWords(errors[0])}`;
    return { error: new Refusal("validation_failed", detail, { errors }) };
  };
};

type Property = {
  type?: string;
  default?: unknown;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: { enum?: readonly unknown[] };
};
const INTEGER = /^-?\d{1,15}$/;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

/** How a text is read where a schema wants something else. What does not look like it stays text, and is refused. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  integer: (text) => (INTEGER.test(text) ? Number(text) : text),
  number: (text) => (NUMBER.test(text) ? Number(text) : text),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : text),
};

const propertiesOf = (schema: TSchema) =>
  Object.entries((schema as { properties?: Record<string, Property> }).properties ?? {});

function textReader(schema: TSchema): (value: unknown) => unknown {
  const properties = propertiesOf(schema);
  return (value) => {
    const given: Record<string, unknown> = { ...(value as Record<string, unknown>) };
    for (const [name, { type, default: fallback }] of properties) {
      const text = given[name];
      if (text === undefined && fallback !== undefined) given[name] = fallback;
      if (typeof text === "string" && type) given[name] = READERS[type]?.(text) ?? text;
    }
    return given;
  };
}

/**
 * Finds a list that is too long before anything looks at its items. TypeBox compares every pair of them when they must
 * differ: a hundred thousand repetitions of one word would hold the process for two minutes.
 */
function lengthGuard(schema: TSchema): (value: unknown) => Complaint | undefined {
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

const MAX_UNKNOWN_MEMBERS = 100;

/** TypeBox looks at every member to name a few that are wrong: a hundred thousand would hold the process for long. */
function findTooMany(value: unknown, mostMembers: number): Complaint | undefined {
  let count = 0;
  if (typeof value === "object" && !Array.isArray(value)) {
    for (const _ in value) {
      if (++count > mostMembers) return { pointer: "", message: "has far more members than are known here" };
    }
  }
  return undefined;
}

type Complaint = { pointer: string; message: string };

/** Names of members are the client's, so they may be of any length. */
const MAX_POINTER_LENGTH = 200;

/** At most one complaint per place, in words. How many places are named is bounded by TypeBox (8). */
function explain(errors: readonly TLocalizedValidationError[]): Complaint[] {
  const complaints = new Map<string, string>();
  for (const error of errors) {
    // Where several forms are allowed, what is wrong with the first of them says more than "none of them fits".
    if (error.keyword === "anyOf" && complaints.has(error.instancePath)) continue;
    for (const { pointer, message } of complaintsOf(error)) {
      const place = pointer.slice(0, MAX_POINTER_LENGTH);
      if (!complaints.has(place)) complaints.set(place, message);
    }
  }
  return [...complaints].map(([pointer, message]) => ({ pointer, message }));
}

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "a UUID",
  date: "a date such as 2026-01-31",
  "date-time": "a moment such as 2026-01-31T12:00:00Z",
  uri: "an address such as https://example.com/hook",
};

function complaintsOf(error: TLocalizedValidationError): Complaint[] {
  const at = error.instancePath;
  const says = (message: string): Complaint[] => [{ pointer: at, message }];
  switch (error.keyword) {
    case "required":
      return error.params.requiredProperties.map((name) => inside(at, name, "is missing"));
    case "boolean": // TypeBox's word for a member that must not be there
      return says("is not expected here");
    case "additionalProperties":
      return []; // each of them has been named already
    case "type":
      return says(
        `must be ${[error.params.type]
          .flat()
          .map((type) => KINDS[type] ?? type)
          .join(" or ")}`,
      );
    case "format":
      return says(`must be ${FORMATS[error.params.format] ?? error.params.format}`);
    case "enum":
      return says(`must be one of ${error.params.allowedValues.join(", ")}`);
    case "minLength":
      return says(`must have at least ${counted(error.params.limit, "character")}`);
    case "maxLength":
      return says(`must have at most ${counted(error.params.limit, "character")}`);
    case "minItems":
      return says(`must have at least ${counted(error.params.limit, "item")}`);
    case "maxItems":
      return says(`must have at most ${counted(error.params.limit, "item")}`);
    case "minimum":
      return says(`must be at least ${error.params.limit}`);
    case "maximum":
      return says(`must be at most ${error.params.limit}`);
    case "uniqueItems":
      return says("must not repeat an item");
    default:
      return says(error.message);
  }
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A complaint about a member, whose name is escaped (RFC 6901). */
function inside(pointer: string, name: string, message: string): Complaint {
  const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return { pointer: `${pointer}/${escaped}`, message };
}

function inWords(complaint: Complaint | undefined): string {
  if (!complaint) return "it does not fit the schema.";
  return `${complaint.pointer === "" ? "it" : complaint.pointer} ${complaint.message}.`;
}
