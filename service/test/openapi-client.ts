/**
 * A client derived from an OpenAPI document: generates valid and slightly invalid requests, and reports every response
 * that the document does not describe.
 */
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { anyCharacter } from "../../engine/test/any-character.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, as it comes
type Schema = { [key: string]: any };
type Parameter = { name: string; in: "path" | "query" | "header"; required: boolean; schema: Schema };
type Response = {
  content?: Record<
    string,
    { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
  >;
};

export type Operation = {
  id: string;
  tags: string[];
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
  /** The body is a form with a file. */
  takesFile: boolean;
  responses: Record<string, Response>;
  /** Requires a session. */
  isForSessions: boolean;
};

export type MadeUpRequest = {
  operation: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Index of the caller. */
  caller: number;
};

/** Every operation, with references resolved. */
export function operationsOf(document: Schema): Operation[] {
  const base: string = document.servers[0].url;
  const known = new Map<string, Schema>();
  return Object.entries<Schema>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Schema>(methods).map(([method, operation]) => {
      const {
        operationId: id,
        tags,
        parameters = [],
        requestBody,
        responses,
      } = resolve(document, known, operation);
      return {
        id,
        tags,
        method: method.toUpperCase(),
        path: `${base}${path}`,
        parameters,
        body: requestBody?.content["application/json"]?.schema,
        takesFile: requestBody?.content["multipart/form-data"] !== undefined,
        responses,
        isForSessions: JSON.stringify(operation.security) === '[{"session":[]}]',
      };
    }),
  );
}

/** What several places refer to is one object, so that its validator is compiled once. */
function resolve(document: Schema, known: Map<string, Schema>, node: unknown): Schema {
  if (typeof node !== "object" || node === null) return node as Schema;
  if ("$ref" in node && typeof node.$ref === "string") {
    const { $ref } = node;
    const target = () =>
      $ref
        .slice(2)
        .split("/")
        .reduce<Schema>((part, name) => part[name], document);
    const found = known.get($ref) ?? resolve(document, known, target());
    known.set($ref, found);
    return found;
  }
  if (Array.isArray(node)) return node.map((item) => resolve(document, known, item));
  if ("x-extensible-enum" in node) return { ...node, enum: node["x-extensible-enum"] }; // of this version
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, resolve(document, known, value)]),
  );
}

export type MakeUp = {
  callers: number;
  /** Indices of callers with a session. */
  signedIn: readonly number[];
  /** Existing IDs and names, by parameter name; replaced over time. */
  ids: Readonly<Record<string, readonly string[]>>;
  /** Interesting values, such as addresses. */
  texts: readonly string[];
  files: readonly string[];
  /** Lower maxima than those of the document, by parameter. */
  most: Readonly<Record<string, number>>;
};

/** Usually an existing value of this name, otherwise one of another name. */
function idsNamed(name: string, { ids }: MakeUp): fc.Arbitrary<string> {
  return fc.nat().map((n) => {
    const own = n % 4 === 0 ? undefined : ids[name];
    const choice = own ?? Object.values(ids).flat();
    return choice[n % choice.length]!;
  });
}

/** Requests to an operation: most are valid, the others invalid in some part. */
export function requestsTo(operation: Operation, known: MakeUp): fc.Arbitrary<MadeUpRequest> {
  const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
  const inQuery = operation.parameters.filter((parameter) => parameter.in === "query");
  const hasIdempotencyKey = operation.parameters.some(({ name }) => name === "Idempotency-Key");
  return fc
    .record({
      segments: fc.tuple(
        ...inPath.map(({ name }) => fc.oneof({ weight: 5, arbitrary: idsNamed(name, known) }, junkText)),
      ),
      query: queryOf(inQuery, known),
      body: bodyFor(operation, known),
      accept: fc.oneof(
        { weight: 12, arbitrary: fc.constant("*/*") },
        fc.constantFrom("text/html", "application/json;q=0"),
      ),
      idempotencyKey: hasIdempotencyKey
        ? fc.oneof(
            { weight: 4, arbitrary: fc.constant(undefined) },
            fc.constantFrom("k1", "k2", "k3", "not visible"),
          )
        : fc.constant(undefined),
      caller: operation.isForSessions
        ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known.signedIn) }, fc.nat(known.callers - 1))
        : fc.nat(known.callers - 1),
    })
    .map(({ segments, query, body, accept, idempotencyKey, caller }) => ({
      operation: operation.id,
      method: operation.method,
      path:
        inPath.reduce(
          (path, { name }, n) =>
            path.replace(`{${name}}`, encodeURIComponent(wellFormed(segments[n] || "x"))),
          operation.path,
        ) + query,
      headers: {
        accept,
        ...(body.type ? { "content-type": body.type } : {}),
        ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
      },
      body: operation.method === "GET" ? undefined : body.text,
      caller,
    }));
}

type Body = { text: string | undefined; type: string | undefined };
const asJson = (value: unknown): Body => ({ text: JSON.stringify(value), type: "application/json" });
const noBody = fc.constant<Body>({ text: undefined, type: undefined });
const junkText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom(
    "\0",
    "\ud800",
    "-1",
    "1e9",
    "null",
    "x".repeat(300),
    "00000000-0000-0000-0000-000000000000",
  ),
);
const junk: fc.Arbitrary<unknown> = fc.oneof(
  junkText,
  fc.constantFrom(null, true, 0, -1, 1.5, 1e300, [], {}, [[]], { a: 1 }),
);
const junkBody: fc.Arbitrary<Body> = fc.oneof(
  junk.map(asJson),
  fc.constantFrom<Body>(
    { text: "", type: "application/json" },
    { text: '{"a":', type: "application/json" },
    { text: "a=b", type: "text/plain" },
    { text: "{}", type: "not a type" },
  ),
);

function bodyFor({ body, takesFile }: Operation, known: MakeUp): fc.Arbitrary<Body> {
  if (takesFile && body) return fc.oneof(formsOf(known), bodiesOf(body, known));
  if (takesFile) return fc.oneof({ weight: 8, arbitrary: formsOf(known) }, junkBody, noBody);
  return body ? bodiesOf(body, known) : fc.oneof({ weight: 6, arbitrary: noBody }, junkBody);
}

/** Forms with a file, most of them complete and in the right field. */
function formsOf({ files }: MakeUp): fc.Arbitrary<Body> {
  return fc
    .record({
      content: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...files) }, junkText),
      field: fc.oneof({ weight: 8, arbitrary: fc.constant("file") }, fc.constantFrom("files", "")),
      filename: fc.constantFrom("list.csv", "../list.csv", "名.txt", ""),
      end: fc.oneof({ weight: 8, arbitrary: fc.constant("\r\n--boundary--\r\n") }, fc.constant("")),
    })
    .map(({ content, field, filename, end }) => ({
      text: `--boundary\r\ncontent-disposition: form-data; name="${field}"; filename="${filename}"\r\n\r\n${content}${end}`,
      type: "multipart/form-data; boundary=boundary",
    }));
}

function bodiesOf(schema: Schema, known: MakeUp): fc.Arbitrary<Body> {
  const right = valuesOf(schema, known);
  const nearlyRight = fc
    .record({
      value: right,
      wrong: junk,
      name: fc.oneof(fc.constantFrom(...Object.keys(schema.properties ?? {}), "extra"), junkText),
      isGone: fc.boolean(),
    })
    .map(({ value, wrong, name, isGone }) => {
      const { [name]: _, ...rest } = value as Schema;
      return asJson(isGone ? rest : { ...rest, [name]: wrong });
    });
  return fc.oneof(
    { weight: 6, arbitrary: right.map(asJson) },
    { weight: 3, arbitrary: nearlyRight },
    junkBody,
    noBody,
  );
}

function queryOf(parameters: Parameter[], known: MakeUp): fc.Arbitrary<string> {
  const pairs = parameters.map(({ name, required, schema }) => {
    const maximum = known.most[name] ?? schema.maximum;
    const right = valuesOf({ ...schema, maximum }, known, name).map((value) => [[name, String(value)]]);
    const wrong = junkText.map((text) => [[name, text]]);
    const twice = fc.constant([
      [name, "1"],
      [name, "2"],
    ]);
    const none = fc.constant<string[][]>([]);
    return fc.oneof({ weight: 8, arbitrary: right }, wrong, twice, {
      weight: required ? 1 : 6,
      arbitrary: none,
    });
  });
  const extra = fc.oneof(
    { weight: 12, arbitrary: fc.constant<string[][]>([]) },
    junkText.map((text) => [[text, text]]),
  );
  return fc.tuple(extra, ...pairs).map((lists) => {
    const given = lists
      .flat()
      .map(
        ([name = "", value = ""]) =>
          `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(value))}`,
      );
    return given.length > 0 ? `?${given.join("&")}` : "";
  });
}

/** A lone surrogate is impossible in a URL. */
const wellFormed = (text: string) => Buffer.from(text, "utf8").toString("utf8");

/** Values that a schema allows, for a parameter or property of this name. */
function valuesOf(schema: Schema, known: MakeUp, name = ""): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one: Schema) => valuesOf(one, known, name)));
  switch (schema.type) {
    case "object":
      return fc.record(
        Object.fromEntries(
          Object.entries<Schema>(schema.properties ?? {}).map(([name, one]) => [
            name,
            valuesOf(one, known, name),
          ]),
        ),
        { requiredKeys: schema.required ?? [] },
      );
    case "array":
      return arraysOf(schema, known);
    case "string":
      return textsOf(schema, known, name);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000 });
    case "number":
      return fc.double({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      throw new Error(`cannot generate ${JSON.stringify(schema)}`);
  }
}

function arraysOf(
  { items, minItems = 0, maxItems = 20, uniqueItems }: Schema,
  known: MakeUp,
): fc.Arbitrary<unknown[]> {
  const item = valuesOf(items, known);
  const few = { minLength: minItems, maxLength: Math.min(maxItems, 20) };
  if (uniqueItems) return fc.uniqueArray(item, { ...few, maxLength: items.enum?.length ?? few.maxLength });
  // Sometimes one item too many, of maximum length.
  const tooMany = item.map((one) => Array(maxItems + 1).fill(one));
  return fc.oneof({ weight: 20, arbitrary: fc.array(item, few) }, tooMany);
}

function textsOf(
  { format, minLength = 0, maxLength = 60 }: Schema,
  known: MakeUp,
  name: string,
): fc.Arbitrary<string> {
  const year = { min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true };
  if (format === "uuid") return fc.oneof({ weight: 4, arbitrary: idsNamed(name, known) }, fc.uuid());
  if (format === "date") return fc.date(year).map((date) => date.toISOString().slice(0, 10));
  if (format === "date-time") return fc.date(year).map((date) => date.toISOString());
  const anything = fc.string({ unit: anyCharacter, minLength, maxLength: Math.min(maxLength, 60) });
  if (known.ids[name]) return fc.oneof({ weight: 3, arbitrary: idsNamed(name, known) }, anything);
  const fitting = known.texts.filter(({ length }) => length >= minLength && length <= maxLength);
  return fitting.length > 0
    ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...fitting) }, anything)
    : anything;
}

export type Received = { status: number; type: string; text: string };

/** How a response deviates from the document; undefined if it does not. */
export function deviationOf(operation: Operation, { status, type, text }: Received): string | undefined {
  if (status === 500) return "a failure of the server";
  const foreseen = operation.responses[String(status)];
  if (!foreseen) return `status ${status} is not documented`;
  const mediaType = type.split(";", 1)[0] ?? "";
  const schema = foreseen.content?.[mediaType]?.schema;
  if (!foreseen.content) return text === "" ? undefined : `a body where none is documented: ${text}`;
  if (!schema) return `content type "${type}" is not documented for ${status}`;
  const validator = validatorOf(schema);
  const value = /[/+]json$/.test(mediaType) ? JSON.parse(text) : text;
  const { examples } = foreseen.content[mediaType]!; // of problems, by code
  if (examples && !(value.code in examples)) return `the code ${value.code} is not documented for ${status}`;
  if (validator.Check(value)) return undefined;
  return `the body does not fit: ${JSON.stringify(validator.Errors(value).slice(0, 3))}`;
}

const validators = new Map<Schema, ReturnType<typeof Compile>>();
function validatorOf(schema: Schema) {
  const validator = validators.get(schema) ?? Compile(schema as never);
  validators.set(schema, validator);
  return validator;
}
