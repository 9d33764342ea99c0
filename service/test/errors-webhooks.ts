/** Errors of webhooks, and the objects they need. */
import { randomUUID } from "node:crypto";
import { requestTo } from "./endpoint-requests.ts";
import { type Endpoint, HOOK } from "./endpoints.ts";
import { by, changed, fixture, only, type Row } from "./errors-fixture.ts";

/** Webhook endpoints of cy, and a delivery to the disabled one. */
const hooks = {} as Record<"on" | "off" | "delivery", string>;

/** Creates them. */
export async function settleHooks(): Promise<void> {
  const { service, people } = fixture;
  const ask = async (path: string, method: string, body?: unknown): Promise<string> =>
    (await service.ask(`/webhooks${path}`, { key: people.cy.key, method, body })).body.id;
  hooks.on = await ask("", "POST", { url: HOOK });
  hooks.off = await ask("", "POST", { url: HOOK });
  hooks.delivery = await ask(`/${hooks.off}/test`, "POST");
  await ask(`/${hooks.off}`, "PATCH", { is_enabled: false });
}

const replays = only("POST /webhooks/{webhook_id}/deliveries/{delivery_id}/replay");

const atHook =
  (hook: "on" | "off", part: Pick<Endpoint, "body"> = {}): Row[3] =>
  (endpoint) => {
    const ids = { webhook_id: hooks[hook], ...(hook === "off" ? { delivery_id: hooks.delivery } : {}) };
    const { path, asked } = requestTo({ ...endpoint, ...part }, ids);
    return fixture.service.ask(path, { ...asked, key: fixture.people.cy.key });
  };

const redrives = only("POST /operator/dead-letters/{dead_letter_id}/redrive");

/** Of a delivery to an endpoint that does not exist. */
const redriveObsolete: Row[3] = async (endpoint) => {
  const { service } = fixture;
  const id = randomUUID();
  const task = {
    queue: "delivery",
    groupId: id,
    accountId: id,
    subject: id,
    failures: 5,
    losses: 0,
    error: "",
  };
  await service.database.pool.query(
    "insert into pgboss.job (id, name, data) values ($1, 'dead_letter', $2)",
    [id, { ...task, details: {} }],
  );
  const { path, asked } = requestTo(endpoint, { dead_letter_id: id });
  return service.ask(path, { ...asked, cookie: await service.operatorCookie() });
};

const INSIDE = { url: "https://10.0.0.1/hook" };

export const ROWS_OF_WEBHOOKS: readonly Row[] = [
  ["an unknown endpoint", "webhook_not_found", ({ path }) => path.includes("{webhook_id}"), changed({})],
  ["an unknown delivery", "delivery_not_found", replays, atHook("on")],
  ["an unknown dead letter", "dead_letter_not_found", redrives, changed({})],
  ["a dead letter of a deleted webhook endpoint", "dead_letter_obsolete", redrives, redriveObsolete],
  [
    "a disabled endpoint",
    "webhook_disabled",
    (endpoint) => replays(endpoint) || endpoint.name === "POST /webhooks/{webhook_id}/test",
    atHook("off"),
  ],
  ["a private URL", "webhook_url_rejected", only("POST /webhooks"), changed({ body: INSIDE })],
  [
    "a private URL",
    "webhook_url_rejected",
    only("PATCH /webhooks/{webhook_id}"),
    atHook("on", { body: INSIDE }),
  ],
  [
    "one endpoint too many",
    "too_many_webhooks",
    only("POST /webhooks"),
    async (endpoint) => {
      const { service, people } = fixture;
      await service.database.pool.query(
        `insert into webhook_endpoints (id, account_id, url, description, events, secret)
         select gen_random_uuid(), $1, $2, '', '{}', 'whsec_' from generate_series(1, 10)`,
        [people.broke.accountId, HOOK],
      );
      return by(() => ({ key: people.broke.key }))(endpoint);
    },
  ],
];
