/**
 * Schemas of the OpenAPI document: each schema that the contract exports is a component under its export name, wherever it
 * occurs.
 *
 * An enumeration in an answer is open: `x-extensible-enum` lists its values, and a later version may add others. The plain
 * string beside it is what code generators make the field of. In requests, and where no value will be added, it is `enum`.
 */
import * as contract from "@mailvet/contract";

export type Side = "request" | "answer";

/** Enumerations of answers that will get no further values. */
const CLOSED: ReadonlySet<string> = new Set(
  [contract.STATUSES, contract.RESULT_STATUSES].map((words) => JSON.stringify(words)),
);

export class SchemaNames {
  readonly #nameOf = new Map<string, string>();
  readonly #used = new Map<string, { side: Side; schema: unknown }>();

  constructor() {
    // Of equal schemas, the first in this order gives its name: a bundle has its exports in another order than the sources.
    for (const [name, value] of Object.entries(contract).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const isSchema = typeof value === "object" && value !== null && "~kind" in value;
      if (!isSchema || name.endsWith("Query")) continue; // each parameter of a query is described by itself
      const text = JSON.stringify(value);
      if (!this.#nameOf.has(text)) this.#nameOf.set(text, name);
    }
  }

  refer(schema: unknown, side: Side): unknown {
    if (typeof schema !== "object" || schema === null) return schema;
    const name = this.#nameOf.get(JSON.stringify(schema));
    if (name === undefined) return this.#referInside(schema, side);
    const used = this.#used.get(name);
    if (!used) {
      const entry = { side, schema: undefined as unknown }; // reserved while its parts are resolved
      this.#used.set(name, entry);
      entry.schema = this.#referInside(schema, side);
    } else if (used.side !== side && JSON.stringify(schema).includes('"enum"')) {
      throw new Error(`${name} has an enumeration, which cannot be open in answers and closed in requests.`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #referInside(schema: object, side: Side): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.refer(item, side));
    const { enum: values, ...rest } = schema as { enum?: readonly unknown[] };
    const members = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, this.refer(value, side)]),
    );
    return values?.every((value) => typeof value === "string")
      ? enumerationOf(values, members, side)
      : members;
  }

  components(): Record<string, unknown> {
    const byName = [...this.#used].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(byName.map(([name, { schema }]) => [name, schema]));
  }
}

function enumerationOf(values: readonly string[], rest: object, side: Side): object {
  const isOpen = side === "answer" && values.length > 1 && !CLOSED.has(JSON.stringify(values));
  if (isOpen) return { type: "string", "x-extensible-enum": values, ...rest };
  // Generators cannot make names of values such as a tab.
  if (values.some((value) => /\s/.test(value)))
    return { type: "string", pattern: `^[${values.join("")}]$`, ...rest };
  return { type: "string", enum: values, ...rest };
}
