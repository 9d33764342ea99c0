/** Reacher's API with REACHER_COMPATIBLE=yes: every field for every sub_status, bulk jobs, credentials and refusals. */
import { ALL_SUB_STATUSES, type SubStatus } from "@mailvet/contract";
import { greylists, type Lab, mailDomain, openLab } from "@mailvet/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openService, type TestAccount, type TestService } from "./service.ts";

let lab: Lab;
let service: TestService;
let ann: TestAccount;
let testKey: string;
beforeAll(async () => {
  lab = await openLab({
    "shop.test": mailDomain({ users: ["ann"] }),
    "gmail.com": mailDomain({ users: ["ann.lee"] }),
    "grey.test": mailDomain({ users: ["ann"], temper: greylists({ delayMs: 3_600_000 }) }),
  });
  service = await openService({
    lab,
    env: { REACHER_COMPATIBLE: "yes", EHLO_NAME: "probe.mailvet-lab.example" },
  });
  ann = await service.openAccount({ credits: 1_000 });
  testKey = (await ann.makeKey({ mode: "test" })).key;
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

type Sent = { method?: string; headers?: Record<string, string>; body?: unknown };

async function send(path: string, { method, headers = {}, body }: Sent, at = service) {
  const answer = await fetch(`${at.url}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
}

const check = (to_email: string, key: string, more: object = {}, path = "/v0/check_email") =>
  send(path, { headers: { authorization: key }, body: { to_email, ...more } });

const NOT_ASKED = {
  can_connect_smtp: false,
  has_full_inbox: false,
  is_catch_all: false,
  is_deliverable: false,
  is_disabled: false,
};
const REFUSED = { ...NOT_ASKED, can_connect_smtp: true };
const ACCEPTED = { ...REFUSED, is_deliverable: true };
const NO_MX = { accepts_mail: false, records: [] };
const MX = { accepts_mail: true, records: ["mx.mailvet.test."] };
const smtpError = (message: unknown, type = "SmtpError") => ({ error: { type, message } });

type Expected = { is_reachable: string; mx: object; smtp: object; misc?: object };
const safe = { is_reachable: "safe", mx: MX, smtp: ACCEPTED };
const risky = { ...safe, is_reachable: "risky" };
const unroutable = { is_reachable: "invalid", mx: NO_MX, smtp: NOT_ASKED };
const refused = { is_reachable: "invalid", mx: MX, smtp: REFUSED };
const unknown = (smtp: object) => ({ is_reachable: "unknown", mx: MX, smtp });
const SENTENCE = expect.stringMatching(/^\S.*\.$/);

const EXPECTED: Record<SubStatus, Expected> = {
  "": safe,
  privacy_relay: safe,
  agent_mailbox: safe,
  syntax_error: unroutable,
  provider_syntax: unroutable,
  reserved_domain: unroutable,
  domain_not_found: unroutable,
  no_mail_server: unroutable,
  null_mx: unroutable,
  unroutable_mail_server: unroutable,
  mailbox_not_found: refused,
  mailbox_disabled: { ...refused, smtp: { ...REFUSED, is_disabled: true } },
  domain_not_accepted: refused,
  smtputf8_unsupported: { ...refused, smtp: NOT_ASKED },
  disposable: { ...risky, misc: { is_disposable: true } },
  catch_all: { ...risky, smtp: { ...ACCEPTED, is_catch_all: true } },
  role_based: { ...risky, misc: { is_role_account: true } },
  mailbox_full: { ...risky, smtp: { ...REFUSED, has_full_inbox: true } },
  restricted: { ...risky, smtp: REFUSED },
  possible_typo: risky,
  low_quality: risky,
  greylisted: unknown(smtpError("451 4.7.1 Greylisted, please come back later")),
  rate_limited: unknown(smtpError("450 4.7.1 Too many recipients from you")),
  probe_blocked: unknown({
    ...smtpError("550 5.7.1 Your address is on our blocklist"),
    description: "IpBlacklisted",
  }),
  temporary_error: unknown(smtpError("451 4.3.0 Temporary lookup failure")),
  smtp_unreachable: unknown(smtpError(SENTENCE)),
  smtp_timeout: unknown(smtpError(SENTENCE, "TimeoutError")),
  smtp_protocol_error: unknown(smtpError(SENTENCE)),
  egress_blocked: unknown(smtpError(SENTENCE)),
  server_untrusted: unknown(smtpError("250 2.1.5 Recipient ok")),
  smtp_skipped: unknown(smtpError(SENTENCE)),
  dns_error: { is_reachable: "unknown", mx: smtpError(SENTENCE, "ResolveError"), smtp: NOT_ASKED },
  internal_error: { ...unknown(smtpError(SENTENCE)), mx: NO_MX },
};

test.for(ALL_SUB_STATUSES.map((subStatus) => ({ subStatus })))(
  "the sub_status '$subStatus' has every field of Reacher",
  async ({ subStatus }) => {
    const username = subStatus.replaceAll("_", "-") || "valid";
    const email = `${username}@Example.com`;
    const { status, body } = await check(email, testKey);
    expect(status).toBe(200);
    const { misc = {}, ...expected } = EXPECTED[subStatus];
    const isMalformed = subStatus === "syntax_error";
    const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const isAsked = "can_connect_smtp" in expected.smtp ? expected.smtp.can_connect_smtp : undefined;
    expect(body).toEqual({
      input: email,
      ...expected,
      misc: {
        is_disposable: false,
        is_role_account: false,
        is_b2c: false,
        gravatar_url: null,
        haveibeenpwned: null,
        ...misc,
      },
      syntax: isMalformed
        ? {
            address: null,
            domain: "",
            is_valid_syntax: false,
            username: "",
            normalized_email: null,
            suggestion: null,
          }
        : {
            address: email,
            domain: "example.com",
            is_valid_syntax: true,
            username,
            normalized_email: `${username}@example.com`,
            suggestion: subStatus === "possible_typo" ? expect.stringMatching(/@gmail\.com$/) : null,
          },
      debug: {
        server_name: "probe.mailvet-lab.example",
        backend_name: "probe.mailvet-lab.example",
        start_time: isoTime,
        end_time: isoTime,
        duration: { secs: expect.any(Number), nanos: expect.any(Number) },
        smtp: {
          verif_method: {
            type:
              isAsked === undefined
                ? expect.stringMatching(/^(Smtp|Skipped)$/)
                : isAsked
                  ? "Smtp"
                  : "Skipped",
          },
        },
      },
    });
  },
);

test("a free provider is b2c", async () => {
  expect((await check("ann.lee@gmail.com", ann.key)).body.misc.is_b2c).toBe(true);
});

test("both versions ask the mail server and cost one credit", async () => {
  const account = await service.openAccount({ credits: 10 });
  for (const [path, email, reachable] of [
    ["/v0/check_email", "ann@shop.test", "safe"],
    ["/v1/check_email", "bob@shop.test", "invalid"],
  ] as const) {
    const { body } = await check(email, account.key, {}, path);
    expect(body).toMatchObject({
      is_reachable: reachable,
      mx: { accepts_mail: true, records: ["mx.shop.test."] },
    });
  }
  const { body } = await service.ask("/credits", { cookie: account.cookie });
  expect(body.balance).toBe(8);
});

describe("bulk", () => {
  const asAnn = () => ({ authorization: `Bearer ${ann.key}` });

  test("a job has a number, progress, and its results in pages", async () => {
    const input = ["ann@shop.test", "bob@shop.test", "eve@shop.test"];
    const { status, body } = await send("/v1/bulk", { headers: asAnn(), body: { input } });
    expect(status).toBe(200);
    expect(body).toEqual({ job_id: expect.any(Number) });
    const path = `/v1/bulk/${body.job_id}`;
    const progress = async () => (await send(path, { headers: asAnn() })).body;
    await expect.poll(async () => (await progress()).job_status).toBe("Completed");
    expect(await progress()).toEqual({
      job_id: body.job_id,
      created_at: expect.stringMatching(/Z$/),
      finished_at: expect.stringMatching(/Z$/),
      total_records: 3,
      total_processed: 3,
      summary: { total_safe: 1, total_risky: 0, total_invalid: 2, total_unknown: 0 },
      job_status: "Completed",
    });
    const all = await send(`${path}/results`, { headers: asAnn() });
    const { body: single } = await check("ann@shop.test", ann.key);
    expect(all.body.results.map(({ input }: { input: string }) => input)).toEqual(input);
    const { debug: _, ...first } = all.body.results[0];
    const { debug, ...alone } = single;
    expect(first).toEqual(alone);
    expect(Object.keys(all.body.results[0].debug)).toEqual(Object.keys(debug));
    const page = await send(`${path}/results?limit=1&offset=1`, { headers: asAnn() });
    expect(page.body.results).toEqual([all.body.results[1]]);
    const csv = await send(`${path}/results?format=csv`, { headers: asAnn() });
    expect([csv.status, csv.body.error]).toEqual([422, expect.stringMatching(/download/)]);
  });

  test("results of a job that runs are refused", async () => {
    const headers = asAnn();
    const input = ["ann@grey.test"]; // deferred for minutes
    const { body } = await send("/v1/bulk", { headers, body: { input } });
    const running = await send(`/v1/bulk/${body.job_id}`, { headers });
    expect(running.body).toMatchObject({ job_status: "Running", finished_at: null });
    const results = await send(`/v1/bulk/${body.job_id}/results`, { headers });
    expect([results.status, results.body.code]).toEqual([409, "results_not_ready"]);
  });

  test("a job of another account, or of the other mode, does not exist", async () => {
    const { body } = await send("/v1/bulk", { headers: asAnn(), body: { input: ["ann@shop.test"] } });
    const eve = await service.openAccount();
    for (const key of [eve.key, testKey]) {
      for (const path of ["", "/results"]) {
        const headers = { authorization: key };
        const theirs = await send(`/v1/bulk/${body.job_id}${path}`, { headers });
        const none = await send(`/v1/bulk/1${path}`, { headers });
        const withoutId = ({ request_id: _, ...problem }: { request_id: string }) => problem;
        expect([theirs.status, withoutId(theirs.body)]).toEqual([404, withoutId(none.body)]);
      }
    }
  });
});

test("the key is accepted in Authorization, raw or as Bearer, in X-API-Key and in x-reacher-secret", async () => {
  for (const headers of [
    { authorization: testKey },
    { authorization: `Bearer ${testKey}` },
    { "x-api-key": testKey },
    { "x-reacher-secret": testKey },
  ] as Record<string, string>[]) {
    const { status } = await send("/v1/check_email", { headers, body: { to_email: "valid@shop.test" } });
    expect(status).toBe(200);
  }
});

test("refusals are problem documents with Reacher's `error`", async () => {
  const { key: readKey } = await ann.makeKey({ scopes: ["read"] });
  const poor = await service.openAccount({ credits: 0 });
  for (const [headers, code] of [
    [{}, "missing_api_key"],
    [{ authorization: "mv_live_unknown" }, "invalid_api_key"],
    [{ authorization: readKey }, "insufficient_scope"],
    [{ authorization: poor.key }, "insufficient_credits"],
  ] as [Record<string, string>, string][]) {
    const { body } = await send("/v0/check_email", { headers, body: { to_email: "ann@shop.test" } });
    expect(body).toMatchObject({ code, error: body.detail });
    expect(body.detail).toMatch(/\w/);
  }
  const { body } = await send("/v0/check_email", { headers: { authorization: testKey }, body: {} });
  expect(body).toMatchObject({ code: "validation_failed", errors: [{ pointer: "/to_email" }] });
});

test("fields without effect are accepted, and fields whose effect is missing are refused", async () => {
  const tuned = {
    from_email: "me@example.org",
    hello_name: "example.org",
    yahoo_verif_method: "Headless",
    gmail_verif_method: "Smtp",
    smtp_timeout: { secs: 10, nanos: 0 },
    retries: 2,
    smtp_port: 25,
    check_gravatar: false,
    proxy: null,
  };
  expect((await check("valid@shop.test", testKey, tuned)).status).toBe(200);
  for (const [field, value] of [
    ["proxy", { host: "proxy.example.org", port: 1080 }],
    ["smtp_port", 587],
    ["check_gravatar", true],
    ["haveibeenpwned_api_key", "secret"],
    ["webhook", { on_each_email: { url: "https://example.org" } }],
  ] as const) {
    const { status, body } = await check("valid@shop.test", testKey, { [field]: value });
    expect([status, body.errors]).toEqual([422, [{ pointer: `/${field}`, message: "not supported" }]]);
  }
});

test("without the setting these paths do not exist", async () => {
  await using plain = await openService();
  for (const path of ["/v0/check_email", "/v1/check_email", "/v1/bulk"]) {
    const { status } = await send(path, { headers: { authorization: "x" }, body: {} }, plain);
    expect(status).toBe(404);
  }
  for (const path of ["/v1/bulk/1", "/v1/bulk/1/results"])
    expect((await send(path, {}, plain)).status).toBe(404);
});
