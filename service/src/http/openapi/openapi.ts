/**
 * Generates the OpenAPI 3.1 document from the registered routes: the schemas that validate requests, and the `config` that
 * drives the hooks. TypeBox schemas are JSON Schema 2020-12, as OpenAPI 3.1 requires.
 *
 * Why not @fastify/swagger: docs/decisions/0007-own-openapi-generator.md.
 */
import * as contract from "@mailvet/contract";
import { API_PREFIX, WEBHOOK_MESSAGES } from "@mailvet/contract";
import type { FastifyInstance, RouteOptions } from "fastify";
import { type Access, takesApiKeys } from "../route-config.ts";
import { EXAMPLES, type Example } from "./openapi-examples.ts";
import {
  FILE_BODIES,
  FILE_FORM,
  HEADER_COMPONENTS,
  headersNamed,
  INFO,
  PARAMETER_COMPONENTS,
  securitySchemes,
  TAGS,
  WEBHOOK_PARAMETERS,
  WEBHOOK_RESPONSES,
} from "./openapi-texts.ts";
import { ProblemAnswers } from "./problem-answers.ts";
import { FILE_EXAMPLES, RESOURCE_EXAMPLES, WEBHOOK_EXAMPLES } from "./resource-examples.ts";
import { problemsOf } from "./route-problems.ts";
import { SchemaNames } from "./schema-names.ts";

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
  const problems = new ProblemAnswers(names.refer(contract.Problem, "answer"));
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.url.slice(API_PREFIX.length).replaceAll(/:(\w+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][String(route.method).toLowerCase()] = operationOf(route, names, problems);
  }
  return {
    openapi: "3.1.0",
    info: { ...INFO, version: options.version },
    servers: [{ url: API_PREFIX }],
    tags: TAGS,
    paths,
    webhooks: webhooksOf(names),
    components: {
      schemas: names.components(),
      responses: problems.responses(),
      examples: problems.examples(),
      headers: HEADER_COMPONENTS,
      parameters: { ...PARAMETER_COMPONENTS, ...WEBHOOK_PARAMETERS },
      securitySchemes: securitySchemes(options.cookieName),
    },
  };
}

function operationOf(route: RouteOptions, names: SchemaNames, answers: ProblemAnswers): Json {
  const schema = (route.schema ?? {}) as RouteSchema;
  const access = route.config?.access ?? "open";
  const honoursIdempotencyKey = takesIdempotencyKey(route);
  const example = EXAMPLES[schema.operationId ?? ""];
  const parameters = [
    ...parametersOf(schema.params, "path", names),
    ...parametersOf(schema.querystring, "query", names),
    ...(honoursIdempotencyKey ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
  ];
  const problems = problemsOfRoute(route);
  return {
    operationId: schema.operationId,
    tags: schema.tags,
    summary: schema.summary,
    description: descriptionOf(schema, access),
    security: securityOf(access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBodyOf(route, names, example?.request),
    responses: {
      ...successesOf(route, successHeaders(schema, access, honoursIdempotencyKey), names, example),
      ...Object.fromEntries([...problems].map(([status, codes]) => [status, answers.of(codes)])),
    },
  };
}

/** HTTP status → problem codes. */
export function problemsOfRoute(route: RouteOptions): ReturnType<typeof problemsOf> {
  const { body, params, querystring } = (route.schema ?? {}) as RouteSchema;
  return problemsOf({
    method: String(route.method),
    access: route.config?.access ?? "open",
    isValidated: [body, params, querystring].some((part) => part !== undefined),
    honoursIdempotencyKey: takesIdempotencyKey(route),
    problems: route.config?.problems ?? [],
  });
}

const takesIdempotencyKey = ({ method, config }: RouteOptions) =>
  method === "POST" && (config?.access ?? "open") !== "open" && config?.idempotency !== false;

function descriptionOf({ description }: RouteSchema, access: Access): string | undefined {
  const isForOperatorKeys = typeof access === "object" && "operator" in access;
  return isForOperatorKeys
    ? `${description} Operator keys need the scope \`${access.operator}\`.`
    : description;
}

function securityOf(access: Access): Json[] {
  if (access === "open") return [];
  if (takesApiKeys(access)) return [{ apiKey: [] }, { bearer: [] }, { session: [] }];
  return typeof access === "object"
    ? [{ operatorKey: [] }, { bearer: [] }, { session: [] }]
    : [{ session: [] }];
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
      schema: names.refer(rest, "request"),
    };
  });
}

function requestBodyOf({ schema, config }: RouteOptions, names: SchemaNames, example: unknown): Json {
  const { body } = (schema ?? {}) as RouteSchema;
  if (config?.acceptsFile) {
    const { schema: jsonSchema } = (body as JsonBody).content["application/json"];
    return {
      requestBody: {
        required: true,
        content: { ...json(names.refer(jsonSchema, "request"), example), ...FILE_BODIES },
      },
    };
  }
  if (config?.consumes) return { requestBody: { required: true, content: { [config.consumes]: FILE_FORM } } };
  return body
    ? { requestBody: { required: true, content: json(names.refer(body, "request"), example) } }
    : {};
}

const json = (schema: unknown, example: unknown): Json => ({
  "application/json": { schema, ...(example === undefined ? {} : { example }) },
});

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
  example: Example | undefined,
): Json {
  const { response = {}, operationId = "" } = (schema ?? {}) as RouteSchema;
  const contentOf = (body: unknown, status: string) => {
    const asJson = () => {
      const referred = names.refer(body, "answer");
      return json(referred, example?.response ?? exampleOf(referred));
    };
    if (!config?.produces || status === "202") return asJson(); // 202: the file is not complete yet
    return Object.fromEntries(
      config.produces.flatMap((type) => {
        if (type === JSON_TYPE) return Object.entries(asJson());
        const text = FILE_EXAMPLES[operationId]?.[type];
        const content = { schema: rawSchema(config, body), ...(text === undefined ? {} : { example: text }) };
        return [[type, content]];
      }),
    );
  };
  return Object.fromEntries(
    Object.entries(response).map(([status, body]) => [
      status,
      {
        description: body.description ?? "Success.",
        headers,
        ...(body.type === "null" ? {} : { content: contentOf(body, status) }),
      },
    ]),
  );
}

/** Of a resource, or of a list with one. */
function exampleOf(schema: unknown): unknown {
  const { $ref, items } = schema as { $ref?: string; items?: unknown };
  if (items) return [exampleOf(items)];
  return $ref && RESOURCE_EXAMPLES[$ref.slice($ref.lastIndexOf("/") + 1)];
}

/** One per event. The receiver of a webhook is the server here. */
function webhooksOf(names: SchemaNames): Json {
  return Object.fromEntries(
    Object.entries(WEBHOOK_MESSAGES).map(([event, [schema, description]]) => {
      const operation = {
        operationId: `on${event.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
        tags: ["webhooks"],
        summary: event,
        description,
        security: [],
        parameters: Object.keys(WEBHOOK_PARAMETERS).map((name) => ({
          $ref: `#/components/parameters/${name}`,
        })),
        requestBody: {
          required: true,
          content: json(names.refer(schema, "answer"), WEBHOOK_EXAMPLES[event]),
        },
        responses: WEBHOOK_RESPONSES,
      };
      return [event, { post: operation }];
    }),
  );
}

const JSON_TYPE = "application/json";

/** Of a response that is not JSON. Where JSON is an alternative, the route's schema is that of the JSON. */
function rawSchema({ produces = [] }: { produces?: readonly string[] }, body: unknown): unknown {
  return produces.includes(JSON_TYPE) ? { type: "string" } : body;
}
