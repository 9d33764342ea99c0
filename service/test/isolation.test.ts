/** Two accounts on one service: neither can see, change or infer data of the other. */
import { randomUUID } from "node:crypto";
import { type Lab, mailDomain, openLab } from "@mailvet/lab";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { expectEveryEndpoint, requestTo } from "./endpoint-requests.ts";
import { ENDPOINTS, type Endpoint, HOOK } from "./endpoints.ts";
import { openMailServer } from "./mail-server.ts";
import { PATIENCE } from "./patience.ts";
import { pausedJob } from "./paused-job.ts";
import {
  type Answer,
  type Asked,
  cookieOf,
  formWith,
  OPERATOR,
  openService,
  type TestAccount,
  type TestService,
} from "./service.ts";

/** An account with a history: keys, sessions, spending, and checked addresses. */
type AccountWithHistory = TestAccount & {
  keyId: string;
  sessionId: string;
  /** Not confirmed. */
  uploadId: string;
  /** One that has ended, with this filename. */
  doneJobId: string;
  filename: string;
  marks: string[];
  /** The job among them is paused: it can be resumed, cancelled and erased. */
  ids: Record<string, string>;
};

/** Endpoints that return data of the caller. */
const OWN_PAGES = [
  "/account",
  "/account/notifications",
  "/credits?limit=100",
  "/credits/statement",
  "/usage",
  "/keys",
  "/auth/session",
  "/auth/sessions",
  "/auth/passkeys",
  "/bulk/jobs",
  "/lists",
  "/webhooks",
];

const NOTE = "a note to bob alone";
const BROWSER = "bobs browser";

let lab: Lab;
let service: TestService;
let ann: AccountWithHistory;
let bob: AccountWithHistory;
beforeAll(async () => {
  lab = await openLab({ "shop.example-lab.com": mailDomain({ users: ["cy", "dee"] }) });
  service = await openService({ lab });
  ann = await settle(await service.openAccount());
  bob = await settle(await service.openAccount({ credits: 777 }));
  // Reading the state of an account does not change it: its sessions were seen lately.
  await service.database.pool.query("update sessions set last_seen_at = now() + interval '1 hour'");
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

test("the list of endpoints is complete", () => expectEveryEndpoint(service));

describe("what ann can read", () => {
  test("bob sees his own data, so the test can detect leaks", async () => {
    const shown = await Promise.all(
      [
        ...OWN_PAGES,
        `/bulk/jobs/${bob.doneJobId}/download`,
        `/webhooks/${bob.ids.webhook_id}/deliveries`,
      ].map(async (path) => (await service.ask(path, { cookie: bob.cookie })).text),
    );
    for (const mark of bob.marks) expect(shown.join()).toContain(mark);
  });

  for (const endpoint of ENDPOINTS) {
    test(`${endpoint.name} shows nothing of bob's`, async () => {
      // Signing up, in or out takes no session, but would end the one that is sent along.
      const asAnn =
        endpoint.access === "open" ? [{}] : [{ key: ann.key }, { bearer: ann.key }, { cookie: ann.cookie }];
      for (const who of asAnn) {
        const { text, headers } = await askAs(endpoint, who, {});
        const shown = text + JSON.stringify([...headers]);
        for (const mark of bob.marks) expect(shown).not.toContain(mark);
      }
      expect((await service.ask("/account", { cookie: ann.cookie })).status).toBe(200); // she was authenticated
    });
  }

  test("bob's key id in the usage filter is like an unknown one", async () => {
    const about = async (keyId: string) =>
      (await service.ask(`/usage?key_id=${keyId}`, { key: ann.key })).body;
    expect(await about(bob.keyId)).toEqual(await about(randomUUID()));
    expect((await about(ann.keyId)).days).not.toEqual([]);
  });

  test("each account's list, count and balance are its own", async () => {
    const ledgers = await Promise.all(
      [ann, bob].map(({ key }) => service.ask("/credits?limit=100", { key })),
    );
    for (const { body, headers } of ledgers) {
      expect(headers.get("x-total-count")).toBe(String(body.ledger.length));
      expect(body.ledger.reduce((sum: number, entry: { amount: number }) => sum + entry.amount, 0)).toBe(
        body.balance,
      );
      expect(headers.get("x-credits-remaining")).toBe(String(body.balance));
    }
    expect(ledgers[1]!.body.balance).toBeGreaterThan(700);
    expect(ledgers[0]!.body.balance).toBeLessThan(100);
  });
});

describe("what ann can do", () => {
  for (const endpoint of ENDPOINTS.filter(({ path }) => path.includes("_id}"))) {
    test(`${endpoint.name} treats bob's id like one that does not exist`, async () => {
      const before = await stateOf(bob);
      for (const who of [{ cookie: ann.cookie }, { key: ann.key }, { bearer: ann.key }, {}]) {
        const aboutBob = await askAs(endpoint, who, bob.ids);
        const aboutNobody = await askAs(endpoint, who, {});
        expect(aboutBob.status).toBeGreaterThanOrEqual(401);
        expect(aboutBob.status).toBeLessThanOrEqual(404);
        expect(withoutId(aboutBob)).toEqual(withoutId(aboutNobody));
      }
      expect(await stateOf(bob)).toEqual(before);
    });
  }

  test("bob's upload is like one that does not exist, and so is his job that has ended", async () => {
    const before = await stateOf(bob);
    const confirm = (upload_id: string) =>
      service.ask("/bulk/upload/confirm", { key: ann.key, body: { upload_id, email_column: "email" } });
    const refused = await confirm(bob.uploadId);
    expect(refused.status).toBe(404);
    expectSame(refused, await confirm(randomUUID()));
    const estimate = (upload_id: string) =>
      service.ask("/bulk/upload/estimate", { key: ann.key, body: { upload_id, email_column: "email" } });
    expectSame(await estimate(bob.uploadId), await estimate(randomUUID()));
    for (const endpoint of ENDPOINTS.filter(({ path }) => path.startsWith("/bulk/jobs/{job_id}"))) {
      const aboutBob = await askAs(endpoint, { key: ann.key }, { job_id: bob.doneJobId });
      expect(aboutBob.status).toBe(404);
      expectSame(aboutBob, await askAs(endpoint, { key: ann.key }, {}));
    }
    expect(await stateOf(bob)).toEqual(before);
  });

  test("nothing that ann does to herself happens to bob", async () => {
    const before = await stateOf(bob);
    const { id } = await ann.makeKey();
    expect((await service.ask(`/keys/${id}`, { method: "DELETE", cookie: ann.cookie })).status).toBe(204);
    const passwords = { current_password: ann.password, new_password: "a new password of ann's" };
    const changed = await service.ask("/auth/password", { cookie: ann.cookie, body: passwords });
    expect(changed.status).toBe(204);
    ann = { ...ann, cookie: cookieOf(changed), password: passwords.new_password };
    expect(await stateOf(bob)).toEqual(before);
  });

  test("ann's rate limit does not affect bob", async () => {
    const [eve, fay] = [
      await service.openAccount({ plan: "free" }),
      await service.openAccount({ plan: "free" }),
    ];
    const answers = await Promise.all(
      Array.from({ length: 70 }, () => service.ask("/account", { cookie: eve.cookie })),
    );
    expect(answers.some(({ status }) => status === 429)).toBe(true);
    const { status, headers } = await service.ask("/account", { cookie: fay.cookie });
    expect(status).toBe(200);
    expect(Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])).toBeGreaterThan(50);
  });
});

describe("what ann can find out", () => {
  test("an address that only bob has checked is checked again", async () => {
    const asked = () =>
      lab.received("mx.shop.example-lab.com").filter((line) => /^RCPT TO:<dee@/i.test(line)).length;
    const about = async ({ key }: TestAccount) =>
      (await service.ask("/validation/single?email=dee@shop.example-lab.com", { key })).body;

    expect((await about(bob)).metadata.cached).toBe(false);
    expect((await about(bob)).metadata.cached).toBe(true);
    const before = asked();
    const first = await about(ann);
    expect(first).toMatchObject({ status: "valid", metadata: { cached: false, plan_tier: "enterprise" } });
    expect(asked()).toBeGreaterThan(before);
  });

  test("the same Idempotency-Key in both accounts is two keys", async () => {
    const headers = { "idempotency-key": "number-1" };
    const ask = ({ key }: TestAccount, email: string) =>
      service.ask("/validation/single", { key, headers, body: { email } });
    await ask(bob, "mailbox-full@mailvet.test");
    const anns = await ask(ann, "catch-all@mailvet.test");
    expect([anns.status, anns.body.sub_status, anns.headers.get("idempotency-replayed")]).toEqual([
      200,
      "catch_all",
      null,
    ]);
    expect((await ask(bob, "mailbox-full@mailvet.test")).headers.get("idempotency-replayed")).toBe("true");
  });

  test("signing in with a wrong password is answered the same, with or without an account", async () => {
    const password = "certainly not the password";
    const signIn = (email: string) =>
      service.ask("/auth/sign-in", { body: { email, password }, from: somewhere() });
    const known = await signIn(bob.email);
    expect(known.status).toBe(401);
    expectSame(known, await signIn("nobody@team.example"));
  });

  test("asking for a new password is answered the same, with or without an account", async () => {
    const reset = (email: string) =>
      service.ask("/auth/password-reset", { body: { email }, from: somewhere() });
    const known = await reset(bob.email);
    expect(known.status).toBe(202);
    expectSame(known, await reset("nobody@team.example"));
  });
});

test("where mail works, signing up is answered the same whether the email has an account or not", async () => {
  await using mailServer = await openMailServer();
  const failures: string[] = [];
  await using installation = await openService({
    env: { MAIL_URL: mailServer.mail.url },
    logTo: (line) => line.includes("background_task_failed") && failures.push(line),
  });
  const signUp = (email: string) =>
    installation.ask("/auth/sign-up", {
      body: { email, password: "a long enough password" },
      from: somewhere(),
    });

  const taken = await signUp(OPERATOR.email);
  expect(taken.status).toBe(202);
  expectSame(taken, await signUp("newcomer@team.example"));
  await expect.poll(() => mailServer.mails.length + failures.length).toBeGreaterThanOrEqual(2);
  expect(failures).toEqual([]);
  expect(mailServer.mails.flatMap(({ to }) => to).sort()).toEqual(["newcomer@team.example", OPERATOR.email]);
  expect((await installation.ask("/auth/sign-in", { body: OPERATOR })).status).toBe(200);
});

/** Gives an account a history, and collects what no other account may see. */
async function settle(account: TestAccount): Promise<AccountWithHistory> {
  const { cookie, accountId, email, password } = account;
  const { id: keyId, prefix, key } = await account.makeKey();
  await service.ask(`/operator/accounts/${accountId}/grants`, {
    cookie: await service.operatorCookie(),
    body: { amount: 5, note: `${NOTE} ${accountId.slice(0, 8)}` },
  });
  const userAgent = `${BROWSER} ${accountId.slice(0, 8)}`;
  const signedIn = await service.ask("/auth/sign-in", {
    body: { email, password },
    headers: { "user-agent": userAgent },
  });
  const { body: verdict } = await service.ask("/validation/single?email=cy@shop.example-lab.com", { key });
  const { body: sessions } = await service.ask("/auth/sessions", { cookie });
  const sessionId: string = signedIn.body.session_id;
  const passkey = `passkey-${accountId.slice(0, 8)}`;
  const { rows: passkeys } = await service.database.pool.query(
    `insert into passkeys (account_id, name, credential_id, public_key, counter)
     values ($1, $2::text, sha256($2::text::bytea), 'x', 0) returning id`,
    [accountId, passkey],
  );
  const passkeyId: string = passkeys[0].id;
  const lists = await settleLists(key, accountId.slice(0, 8));
  const hook = await settleHook(key, `${HOOK}/${accountId.slice(0, 8)}`);
  const note = `${NOTE} ${accountId.slice(0, 8)}`;
  return {
    ...account,
    key,
    keyId,
    sessionId,
    ...lists,
    ids: {
      key_id: keyId,
      session_id: sessionId,
      passkey_id: passkeyId,
      account_id: accountId,
      job_id: lists.pausedJobId,
      list_id: lists.listId,
      ...hook,
    },
    marks: [
      passkey,
      passkeyId,
      lists.filename,
      lists.doneJobId,
      lists.pausedJobId,
      lists.email,
      lists.listId,
      `${HOOK}/${accountId.slice(0, 8)}`,
      ...Object.values(hook),
      accountId,
      email,
      keyId,
      prefix,
      sessionId,
      note,
      userAgent,
      verdict.request_id,
      ...sessions.map(({ id }: { id: string }) => id),
    ],
  };
}

/** An unconfirmed upload, a job that has ended and is saved as a list, and a paused one. */
async function settleLists(key: string, mark: string) {
  const filename = `list-${mark}.csv`;
  const email = `valid+${mark}@mailvet.test`;
  const upload = async (text: string): Promise<string> =>
    (await service.ask("/bulk/upload/preview", { key, form: formWith(text, filename) })).body.upload_id;
  const confirm = async (uploadId: string): Promise<string> => {
    const body = { upload_id: uploadId, email_column: "email" };
    return (await service.ask("/bulk/upload/confirm", { key, body })).body.id;
  };
  const start = async () => confirm(await upload(`email\nslow-3s+${mark}@mailvet.test\n`));
  const pausedJobId = await pausedJob(service, { key }, start);
  const doneJobId = await confirm(await upload(`email\n${email}\n`));
  await vi.waitFor(async () => {
    const { body } = await service.ask(`/bulk/jobs/${doneJobId}`, { key });
    expect(body.status).toBe("completed");
  }, PATIENCE);
  const body = { job_id: doneJobId, name: filename, schedule: "monthly" };
  const { id: listId } = (await service.ask("/lists", { key, body })).body;
  return { uploadId: await upload(`email\n${email}\n`), doneJobId, pausedJobId, listId, filename, email };
}

/** An endpoint with a delivery; switched off, so that nothing more happens to either. */
async function settleHook(key: string, url: string) {
  const ask = async (path: string, method: string, body?: unknown): Promise<string> =>
    (await service.ask(`/webhooks${path}`, { key, method, body })).body.id;
  const webhook_id = await ask("", "POST", { url });
  const delivery_id = await ask(`/${webhook_id}/test`, "POST");
  await ask(`/${webhook_id}`, "PATCH", { is_enabled: false });
  return { webhook_id, delivery_id };
}

/** All data of an account, as its owner sees it. */
async function stateOf({ cookie, key }: AccountWithHistory): Promise<unknown> {
  const answers = await Promise.all(OWN_PAGES.map((path) => service.ask(path, { cookie })));
  expect(answers.map(({ status }) => status)).toEqual(OWN_PAGES.map(() => 200));
  expect((await service.ask("/account", { key })).status).toBe(200);
  // The last use of a key is written a little later, and the rate of a paused job keeps falling.
  return JSON.parse(JSON.stringify(answers.map(({ body }) => body)), (name, value) =>
    ["last_used_at", "rate_per_second"].includes(name) ? undefined : value,
  );
}

function askAs(endpoint: Endpoint, who: Asked, ids: Record<string, string>): Promise<Answer> {
  const { path, asked } = requestTo(endpoint, ids);
  return service.ask(path, { ...asked, ...who, from: somewhere() });
}

/** Status and body without the request id. */
function withoutId({ status, body }: Answer): unknown {
  return { status, body: { ...body, request_id: undefined } };
}

function expectSame(one: Answer, other: Answer): void {
  expect(withoutId(one)).toEqual(withoutId(other));
  const names = ({ headers }: Answer) => [...headers.keys()].sort();
  expect(names(one)).toEqual(names(other));
}

let addresses = 0;

/** A client address not used before. */
function somewhere(): string {
  addresses += 1;
  return `198.18.1.${addresses % 256}`;
}
