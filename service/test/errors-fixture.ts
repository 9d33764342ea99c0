/** Fixture of the error tests: the service, its accounts, and ways to send requests. */
import type { ProblemCode } from "@mailvet/contract";
import { credentialsFor, requestTo } from "./endpoint-requests.ts";
import type { Endpoint } from "./endpoints.ts";
import { type Answer, type Asked, openService, type TestAccount, type TestService } from "./service.ts";

export type ErrorFixture = {
  service: TestService;
  /** ann is valid in every respect, broke has no credits, free no API access, cy has uploads and jobs. */
  people: Record<"ann" | "broke" | "free" | "cy" | "suspended", TestAccount>;
};

/** Empty until openErrorFixture has run. */
export const fixture = {} as ErrorFixture;

/** Per file; low, so that a test can exceed it. */
export const MAX_EMAILS = 5;

export async function openErrorFixture(): Promise<ErrorFixture> {
  const limits = { MAX_UPLOAD_MB: "1", MAX_CSV_EMAILS: String(MAX_EMAILS) };
  const service = await openService({ env: { ROLE: "api", ...limits } }); // without a worker jobs do not progress
  const ann = await service.openAccount();
  const broke = await service.openAccount({ credits: 0 });
  const free = await service.openAccount({ plan: "free" });
  const cy = await service.openAccount();
  const suspended = await service.openAccount();
  await service.ask(`/operator/accounts/${suspended.accountId}/suspend`, {
    cookie: await service.operatorCookie(),
    body: { reason: "Unpaid invoice" },
  });
  return Object.assign(fixture, { service, people: { ann, broke, free, cy, suspended } });
}

/** Whether a row applies to an endpoint. */
export type AppliesTo = (endpoint: Endpoint) => boolean;
/** The error, its code, the endpoints it applies to, and the request. */
export type Row = readonly [
  what: string,
  code: ProblemCode,
  at: AppliesTo,
  ask: (endpoint: Endpoint) => Promise<Answer>,
];
export type Credentials = Pick<Asked, "key" | "cookie">;

export const only =
  (...names: string[]): AppliesTo =>
  ({ name }) =>
    names.includes(name);
export const acceptsFile: AppliesTo = ({ form }) => form !== undefined;

/** A valid request with valid credentials, except for the change. */
export const changed =
  (change: Asked): Row[3] =>
  async (endpoint) => {
    const { service, people } = fixture;
    const { path, asked } = requestTo(endpoint);
    const who = await credentialsFor(endpoint, service, people.ann);
    return service.ask(path, { from: freshAddress(), ...asked, ...who, ...change });
  };

/** A valid request with other credentials, or none. */
export const by =
  (who: () => Credentials): Row[3] =>
  async (endpoint) => {
    const { path, asked } = requestTo(endpoint);
    return fixture.service.ask(path, { from: freshAddress(), ...asked, ...who() });
  };

let addresses = 0;

/** A new client address, so that tests do not share rate limits. */
export function freshAddress(): string {
  addresses += 1;
  return `198.18.${addresses >> 8}.${addresses & 255}`;
}
