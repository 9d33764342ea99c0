/** Requests to the endpoints of endpoints.ts, the credentials that each accepts, and the problems documented for it. */
import { randomUUID } from "node:crypto";
import {
  API_PREFIX,
  type CreatedOperatorKey,
  type CreateOperatorKeyRequest,
  OPERATOR_SCOPE_NAMES,
  type OperatorScope,
} from "@mailvet/contract";
import { expect } from "vitest";
import { ENDPOINTS, type Endpoint } from "./endpoints.ts";
import { operationsOf } from "./openapi-client.ts";
import type { Asked, TestAccount, TestService } from "./service.ts";

/** A path segment that is not an id. */
const PLACEHOLDERS: Readonly<Record<string, string>> = { domain: "mailvet.test", row: "1" };

/** A valid request without credentials. The ids in its path do not exist unless given. */
export function requestTo(
  { method, path, query = "", body, form }: Endpoint,
  ids: Readonly<Record<string, string>> = {},
): { path: string; asked: Asked } {
  return {
    path:
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? PLACEHOLDERS[name] ?? randomUUID()) +
      query,
    asked: { method, ...(body === undefined ? {} : { body }), ...(form === undefined ? {} : { form }) },
  };
}

/** The same with an invalid part. */
export function wrongRequestTo(endpoint: Endpoint): { path: string; asked: Asked } {
  const { id, pointer: _, ...part } = endpoint.wrong;
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const ids = id === undefined ? {} : Object.fromEntries(names.map((name) => [name, id]));
  return requestTo({ ...endpoint, ...part }, ids);
}

/** Credentials for an endpoint: the account's key or session, or the operator's session. */
export async function credentialsFor({ access }: Endpoint, service: TestService, account: TestAccount) {
  if (access === "open") return {};
  if (isForOperator({ access })) return { cookie: await service.operatorCookie() };
  return access === "session" ? { cookie: account.cookie } : { key: account.key };
}

/** Whether an API key is accepted. */
export function takesKeys({ access }: Endpoint): boolean {
  return access === "any_key" || (typeof access === "object" && "scope" in access);
}

/** Whether an operator key is accepted. */
export function takesOperatorKeys({ access }: Endpoint): boolean {
  return typeof access === "object" && "operator" in access;
}

export function isForOperator(endpoint: Pick<Endpoint, "access">): boolean {
  return endpoint.access === "operator_session" || takesOperatorKeys(endpoint as Endpoint);
}

/** Whether a session is checked when no key is sent. */
export function takesSessions({ access }: Endpoint): boolean {
  return access !== "open";
}

/** The scope that an operator key needs. */
export function operatorScopeOf({ access }: Endpoint): OperatorScope | undefined {
  return typeof access === "object" && "operator" in access ? access.operator : undefined;
}

/** With all scopes, unless others are wanted. */
export async function makeOperatorKey(
  service: TestService,
  wanted: Partial<CreateOperatorKeyRequest> = {},
): Promise<CreatedOperatorKey> {
  const body = { name: "a script", scopes: OPERATOR_SCOPE_NAMES, ...wanted };
  const answer = await service.ask("/operator/keys", { cookie: await service.operatorCookie(), body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

export function honoursIdempotencyKeys({ method, access, ignoresIdempotencyKey }: Endpoint): boolean {
  return method === "POST" && access !== "open" && !ignoresIdempotencyKey;
}

/** Endpoint → the problem codes that the OpenAPI document lists for it: those that its answers have an example of. */
export async function documentedProblems(service: TestService): Promise<Map<string, Set<string>>> {
  const { body: document } = await service.ask("/openapi.json");
  return new Map(
    operationsOf(document).map(({ method, path, responses }) => {
      const answers = Object.values(responses).map(({ content }) => content?.["application/problem+json"]);
      const codes = answers.flatMap((answer) => Object.keys(answer?.examples ?? {}));
      return [`${method} ${path.slice(API_PREFIX.length)}`, new Set(codes)];
    }),
  );
}

/** The list of endpoints is the whole API: an endpoint that is added to one must be added to the other. */
export async function expectEveryEndpoint(service: TestService): Promise<void> {
  const documented = [...(await documentedProblems(service)).keys()];
  expect(ENDPOINTS.map(({ name }) => name).sort()).toEqual(documented.sort());
}
