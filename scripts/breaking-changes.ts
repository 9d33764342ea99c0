/**
 * Compares two OpenAPI documents and lists what a client of the first could trip over in the second.
 *
 * Not a change that breaks: new endpoints, answers, optional parameters and fields, problem codes, and values of open
 * enumerations. docs/api-clients.md has the promise, docs/decisions/0024-own-breaking-change-check.md why this is our own.
 */
// biome-ignore lint/suspicious/noExplicitAny: OpenAPI documents, as they come
type Json = Record<string, any>;
/** What the client writes, or what it reads. */
type Side = "request" | "answer";

export function breakingChanges(before: Json, after: Json): string[] {
  const found = new Set<string>();
  const report = (where: string, what: string) => found.add(`${where}: ${what}`);
  const schemas = new SchemaComparison(before, after, report);

  for (const section of ["paths", "webhooks"]) {
    for (const [path, methods] of Object.entries<Json>(before[section] ?? {})) {
      for (const [method, operation] of Object.entries<Json>(methods)) {
        const where = section === "paths" ? `${method.toUpperCase()} ${path}` : `event ${path}`;
        const now = after[section]?.[path]?.[method];
        if (!now) report(where, "was removed");
        else compareOperation(where, operation, now, section === "paths" ? "request" : "answer");
      }
    }
  }
  for (const name of Object.keys(before.components?.schemas ?? {})) {
    if (!after.components?.schemas?.[name])
      report(`schema ${name}`, "was removed, and with it a generated type");
  }
  return [...found].sort();

  function compareOperation(where: string, old: Json, now: Json, bodySide: Side): void {
    if (now.operationId !== old.operationId)
      report(where, `operationId is ${now.operationId} instead of ${old.operationId}`);
    for (const alternative of old.security ?? []) {
      if (!(now.security ?? []).some((one: Json) => sameKeys(one, alternative)))
        report(where, `no longer takes the credential ${Object.keys(alternative).join()}`);
    }
    compareParameters(where, old, now);
    if (!old.requestBody && now.requestBody?.required) report(where, "requires a body");
    if (old.requestBody) {
      if (!old.requestBody.required && now.requestBody?.required) report(where, "requires a body");
      compareContent(`${where} body`, old.requestBody, now.requestBody ?? {}, bodySide);
    }
    for (const [status, answer] of Object.entries<Json>(old.responses ?? {})) {
      if (!/^2/.test(status)) continue; // which problems there are may change
      const same = now.responses?.[status] ?? now.responses?.["202"]; // an action that became a task
      const [was, is] = [schemas.in(before, answer), schemas.in(after, same)];
      if (!is) report(where, `no longer answers ${status}`);
      else {
        for (const header of Object.keys(was.headers ?? {}))
          if (!is.headers?.[header]) report(`${where} ${status}`, `header ${header} was removed`);
        compareContent(`${where} ${status}`, was, is, "answer");
      }
    }
  }

  function compareParameters(where: string, old: Json, now: Json): void {
    const [were, are] = [parametersOf(before, old), parametersOf(after, now)];
    for (const [name, parameter] of were) {
      const is = are.get(name);
      if (!is) report(where, `parameter ${name} was removed`);
      else {
        if (is.required && !parameter.required) report(where, `parameter ${name} became required`);
        schemas.compare(`${where} parameter ${name}`, parameter.schema, is.schema, "request");
      }
    }
    for (const [name, { required }] of are)
      if (required && !were.has(name)) report(where, `parameter ${name} was added as required`);
  }

  function parametersOf(document: Json, { parameters = [] }: Json): Map<string, Json> {
    const resolved = parameters.map((parameter: Json) => schemas.in(document, parameter));
    return new Map(resolved.map((parameter: Json) => [`${parameter.in} ${parameter.name}`, parameter]));
  }

  function compareContent(where: string, old: Json, now: Json, side: Side): void {
    for (const [type, { schema }] of Object.entries<Json>(old.content ?? {})) {
      const is = now.content?.[type];
      if (!is) report(where, `media type ${type} was removed`);
      else schemas.compare(where, schema, is.schema, side);
    }
  }
}

const sameKeys = (a: Json, b: Json) => Object.keys(a).join() === Object.keys(b).join();

class SchemaComparison {
  readonly #before: Json;
  readonly #after: Json;
  readonly #report: (where: string, what: string) => void;
  /** Components that were compared, which ends recursion. */
  readonly #done = new Set<string>();

  constructor(before: Json, after: Json, report: (where: string, what: string) => void) {
    this.#before = before;
    this.#after = after;
    this.#report = report;
  }

  /** The part of a document that a reference leads to. */
  in(document: Json, part: Json | undefined): Json {
    const names: string[] | undefined = part?.$ref?.slice(2).split("/");
    return (names ? names.reduce((node, name) => node?.[name], document) : part) as Json;
  }

  compare(where: string, old: Json, now: Json, side: Side): void {
    if (old.$ref && old.$ref === now.$ref) {
      if (this.#done.has(old.$ref + side)) return;
      this.#done.add(old.$ref + side);
      where = old.$ref.slice(old.$ref.lastIndexOf("/") + 1);
    }
    const was = this.#variantsOf(this.#before, old);
    const is = this.#variantsOf(this.#after, now);
    // What the client may send must still be accepted; what it may receive must have been announced.
    const [given, wanted] = side === "request" ? [was, is] : [is, was];
    for (const variant of given) {
      const candidates = wanted.filter((one) => isOfKind(variant, one));
      if (candidates.length === 0) {
        const kind = variant.const ?? variant.type ?? "any value";
        this.#report(where, side === "request" ? `${kind} is no longer accepted` : `may be ${kind} now`);
      } else if (candidates.length === 1) {
        const [one] = candidates as [Json];
        if (side === "request") this.#compareOne(where, variant, one, side);
        else this.#compareOne(where, one, variant, side);
      } // several of a kind, such as two objects, are too much for this check
    }
  }

  /** The alternatives of `anyOf` and of a list of types; the parts of `allOf` are merged. */
  #variantsOf(document: Json, schema: Json): Json[] {
    const { anyOf, allOf, ...rest } = this.in(document, schema);
    if (anyOf) return anyOf.flatMap((one: Json) => this.#variantsOf(document, one));
    if (allOf) {
      const parts: Json[] = [rest, ...allOf.flatMap((one: Json) => this.#variantsOf(document, one))];
      return [
        {
          ...Object.assign({}, ...parts),
          properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
          required: parts.flatMap(({ required = [] }) => required),
        },
      ];
    }
    return Array.isArray(rest.type) ? rest.type.map((type: string) => ({ ...rest, type })) : [rest];
  }

  #compareOne(where: string, old: Json, now: Json, side: Side): void {
    this.#compareValues(where, old, now, side);
    if (old.items && now.items) this.compare(`${where}[]`, old.items, now.items, side);
    for (const rest of ["additionalProperties", "patternProperties"])
      if (isSchema(old[rest]) && isSchema(now[rest]))
        this.compare(`${where}.*`, valueSchemaOf(old[rest]), valueSchemaOf(now[rest]), side);
    const [had, has] = [old.properties ?? {}, now.properties ?? {}];
    const [needed, needs] = [new Set(old.required), new Set(now.required)];
    for (const [name, property] of Object.entries<Json>(had)) {
      const field = `${where}.${name}`;
      if (!has[name]) {
        this.#report(field, "was removed");
        continue;
      }
      if (side === "request" && needs.has(name) && !needed.has(name)) this.#report(field, "became required");
      if (side === "answer" && needed.has(name) && !needs.has(name))
        this.#report(field, "may be missing now");
      this.compare(field, property, has[name], side);
    }
    for (const name of Object.keys(has))
      if (side === "request" && needs.has(name) && !had[name])
        this.#report(`${where}.${name}`, "was added as required");
  }

  #compareValues(where: string, old: Json, now: Json, side: Side): void {
    const [given, wanted] = side === "request" ? [old, now] : [now, old];
    if (wanted.enum) {
      const more = given.enum?.filter((value: unknown) => !wanted.enum.includes(value)) ?? ["any value"];
      for (const value of more)
        this.#report(
          where,
          side === "request" ? `"${value}" is no longer accepted` : `may be "${value}" now`,
        );
    }
    const lost = old["x-extensible-enum"]?.filter(
      (value: string) => !now["x-extensible-enum"]?.includes(value),
    );
    for (const value of now.enum ? [] : (lost ?? [])) this.#report(where, `"${value}" was removed`);
    if (side === "answer") {
      if (old.format && now.format !== old.format)
        this.#report(where, `format is ${now.format} instead of ${old.format}`);
      return;
    }
    for (const limit of ["maximum", "maxLength", "maxItems", "maxProperties"])
      if (now[limit] < (old[limit] ?? Number.POSITIVE_INFINITY))
        this.#report(where, `${limit} is ${now[limit]} now`);
    for (const limit of ["minimum", "minLength", "minItems", "minProperties"])
      if (now[limit] > (old[limit] ?? Number.NEGATIVE_INFINITY))
        this.#report(where, `${limit} is ${now[limit]} now`);
    for (const rule of ["pattern", "format"])
      if (now[rule] && now[rule] !== old[rule] && !hasMoreWords(old[rule], now[rule]))
        this.#report(where, `${rule} is ${now[rule]} now`);
  }
}

/** The pattern of parameters that take several words, separated by commas. */
const SEVERAL_WORDS = /^\^\(([\w|]*)\)\(,\(\1\)\)\*\$$/;

function hasMoreWords(old: string | undefined, now: string): boolean {
  const [were, are] = [old ?? "", now].map((pattern) => SEVERAL_WORDS.exec(pattern)?.[1]?.split("|"));
  return were?.every((word) => are?.includes(word)) === true;
}

const isSchema = (part: unknown): part is Json => typeof part === "object" && part !== null;
/** Of `patternProperties`, which has one pattern here, the schema of its values. */
const valueSchemaOf = (part: Json): Json =>
  part.type || part.$ref || part.anyOf ? part : (Object.values(part)[0] ?? {});

/** Whether one variant can be what the other describes. */
function isOfKind(given: Json, wanted: Json): boolean {
  if (wanted.type === undefined) return wanted.const === undefined || wanted.const === given.const;
  return given.type === wanted.type || (given.type === "integer" && wanted.type === "number");
}

/** A document without texts and examples: what is compared, and kept of the last release. */
export function withoutTexts(part: Json, isFields = false): Json {
  const isText = (name: string, value: unknown) =>
    !isFields &&
    (/^(?:description|summary|title)$/.test(name) ? typeof value === "string" : /^examples?$/.test(name));
  return Object.fromEntries(
    Object.entries(part)
      .filter(([name, value]) => !isText(name, value))
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(inner) : inner(value, name)]),
  );
}

const inner = (value: unknown, name: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inner);
  return isSchema(value) ? withoutTexts(value, name === "properties") : value;
};
