/**
 * Generates the OpenAPI 3.1 document from the registered routes: the schemas that validate requests, and the `config` that
 * drives the hooks. TypeBox schemas are JSON Schema 2020-12, as OpenAPI 3.1 requires.
 *
 * Why not @fastify/swagger: docs/decisions/0007-own-openapi-generator.md.
 */
import * as contract from "@mailvet/contract";
import { API_PREFIX, type ProblemCode } from "@mailvet/contract";
import type { FastifyInstance, RouteOptions } from "fastify";
import { PROBLEM_TYPE } from "../problem.ts";
import { type Access, takesApiKeys } from "../route-config.ts";
import { EXAMPLES } from "./openapi-examples.ts";
import {
  FILE_BODIES,
  FILE_FORM,
  HEADER_COMPONENTS,
  INFO,
  PARAMETER_COMPONENTS,
  securitySchemes,
  TAGS,
} from "./openapi-texts.ts";
import { problemsOf } from "./route-problems.ts";

type Json = Record<string, unknown>;
/** Fastify's form of a body schema where JSON is not the only content type. */
type JsonBody = { content: { "application/json": { schema: unknown } } };
type RouteSchema = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  body?: unknown;
  querystring?: unknown;
  params?: unknown;
  response?: Record<string, { description?: string; type?: string }>;
};

/**
 * Collects the API routes that are registered from now on. Complete after `app.ready()`. Routes of other protocols have
 * documents of their own, and are left out.
 */
export function collectApiRoutes(app: FastifyInstance): RouteOptions[] {
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    const isOurs = route.url.startsWith(`${API_PREFIX}/`) && route.config?.access;
    if (route.method !== "HEAD" && isOurs) routes.push(route);
  });
  return routes;
}

export function buildOpenApiDocument(
  routes: readonly RouteOptions[],
  options: { version: string; cookieName: string },
): Json {
  const names = new SchemaNames();
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.url.slice(API_PREFIX.length).replaceAll(/:(\w+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][String(route.method).toLowerCase()] = operationOf(route, names);
  }
  return {
    openapi: "3.1.0",
    info: { ...INFO, version: options.version },
    servers: [{ url: API_PREFIX }],
    tags: TAGS,
    paths,
    components: {
      schemas: names.components(),
      headers: HEADER_COMPONENTS,
      parameters: PARAMETER_COMPONENTS,
      securitySchemes: securitySchemes(options.cookieName),
    },
  };
}

function operationOf(route: RouteOptions, names: SchemaNames): Json {
  const schema = (route.schema ?? {}) as RouteSchema;
  const access = route.config?.access ?? "open";
  const method = String(route.method);
  const honoursIdempotencyKey = method === "POST" && access !== "open" && route.config?.idempotency !== false;
  const example = EXAMPLES[schema.operationId ?? ""];
  const parameters = [
    ...parametersOf(schema.params, "path", names),
    ...parametersOf(schema.querystring, "query", names),
    ...(honoursIdempotencyKey ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
  ];
  const problems = problemsOf({
    method,
    access,
    isValidated: [schema.body, schema.params, schema.querystring].some((part) => part !== undefined),
    honoursIdempotencyKey,
    problems: route.config?.problems ?? [],
  });
  return {
    operationId: schema.operationId,
    tags: schema.tags,
    summary: schema.summary,
    description: descriptionOf(schema, access),
    security: securityOf(access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBodyOf(route, names, example?.request),
    responses: {
      ...successesOf(route, successHeaders(schema, access, honoursIdempotencyKey), names, example?.response),
      ...Object.fromEntries(
        [...problems].map(([status, codes]) => [status, problemResponse(codes, access, names)]),
      ),
    },
  };
}

function descriptionOf({ description }: RouteSchema, access: Access): string | undefined {
  const isForOperatorKeys = typeof access === "object" && "operator" in access;
  return isForOperatorKeys
    ? `${description} Operator keys need the scope \`${access.operator}\`.`
    : description;
}

function securityOf(access: Access): Json[] {
  if (access === "open") return [];
  if (takesApiKeys(access)) return [{ apiKey: [] }, { session: [] }];
  return typeof access === "object" ? [{ operatorKey: [] }, { session: [] }] : [{ session: [] }];
}

function parametersOf(schema: unknown, location: "path" | "query", names: SchemaNames): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property;
    const isRequired = location === "path" || (required.includes(name) && property.default === undefined);
    return {
      name,
      in: location,
      required: isRequired,
      ...(description ? { description } : {}),
      schema: names.refer(rest),
    };
  });
}

function requestBodyOf({ schema, config }: RouteOptions, names: SchemaNames, example: unknown): Json {
  const { body } = (schema ?? {}) as RouteSchema;
  if (config?.acceptsFile) {
    const { schema: jsonSchema } = (body as JsonBody).content["application/json"];
    return {
      requestBody: { required: true, content: { ...json(names.refer(jsonSchema), example), ...FILE_BODIES } },
    };
  }
  if (config?.consumes) return { requestBody: { required: true, content: { [config.consumes]: FILE_FORM } } };
  return body ? { requestBody: { required: true, content: json(names.refer(body), example) } } : {};
}

const json = (schema: unknown, example: unknown): Json => ({
  "application/json": { schema, ...(example === undefined ? {} : { example }) },
});

const headersNamed = (...names: (keyof typeof HEADER_COMPONENTS)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function commonHeaders(access: Access): Json {
  const always = headersNamed("X-Request-Id", "RateLimit", "RateLimit-Policy");
  return access === "open" ? always : { ...always, ...headersNamed("X-Credits-Remaining") };
}

function successHeaders(schema: RouteSchema, access: Access, isReplayable: boolean): Json {
  const query = (schema.querystring as { properties?: Json } | undefined)?.properties ?? {};
  const isPaged = "skip" in query;
  return {
    ...commonHeaders(access),
    ...(isPaged ? headersNamed("X-Total-Count", "Link") : {}),
    ...("before" in query ? headersNamed("Link") : {}),
    ...(isReplayable ? headersNamed("Idempotency-Replayed") : {}),
  };
}

function successesOf(
  { schema, config }: RouteOptions,
  headers: Json,
  names: SchemaNames,
  example: unknown,
): Json {
  const { response = {} } = (schema ?? {}) as RouteSchema;
  const contentOf = (body: unknown) =>
    config?.produces
      ? Object.fromEntries(
          config.produces.map((type) => [
            type,
            { schema: type === JSON_TYPE ? names.refer(body) : rawSchema(config, body) },
          ]),
        )
      : json(names.refer(body), example);
  return Object.fromEntries(
    Object.entries(response).map(([status, body]) => [
      status,
      {
        description: body.description ?? "Success.",
        headers,
        ...(body.type === "null" ? {} : { content: contentOf(body) }),
      },
    ]),
  );
}

function problemResponse(codes: readonly ProblemCode[], access: Access, names: SchemaNames): Json {
  const isRetryable = codes.some((code) =>
    ["rate_limited", "overloaded", "idempotency_in_flight"].includes(code),
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${contract.PROBLEMS[code][1]}.`).join("\n"),
    headers: { ...commonHeaders(access), ...(isRetryable ? headersNamed("Retry-After") : {}) },
    content: {
      [PROBLEM_TYPE]: {
        schema: { allOf: [names.refer(contract.Problem), { properties: { code: { enum: codes } } }] },
      },
    },
  };
}

/** Replaces the contract's schemas with references, so that each is a component under its export name. */
class SchemaNames {
  readonly #nameOf = new Map<string, string>();
  readonly #used = new Map<string, unknown>();

  constructor() {
    for (const [name, value] of Object.entries(contract)) {
      if (typeof value === "object" && value !== null && "~kind" in value)
        this.#nameOf.set(JSON.stringify(value), name);
    }
  }

  refer(schema: unknown): unknown {
    if (typeof schema !== "object" || schema === null) return schema;
    const name = this.#nameOf.get(JSON.stringify(schema));
    if (name === undefined) return this.#referInside(schema);
    if (!this.#used.has(name)) {
      this.#used.set(name, undefined); // reserved while its parts are resolved
      this.#used.set(name, this.#referInside(schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #referInside(schema: object): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.refer(item));
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.refer(value)]));
  }

  components(): Json {
    return Object.fromEntries([...this.#used].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const JSON_TYPE = "application/json";

/** Of a response that is not JSON. Where JSON is an alternative, the route's schema is that of the JSON. */
function rawSchema({ produces = [] }: { produces?: readonly string[] }, body: unknown): unknown {
  return produces.includes(JSON_TYPE) ? { type: "string" } : body;
}
