/** Accounts over HTTP, as the operator runs them: invited, suspended, resumed, re-addressed, closed. */
import { randomUUID } from "node:crypto";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { beginHeld, listsOf, setDue } from "./jobs-http-world.ts";
import { beginHolder } from "./lock-waits.ts";
import { openMailServer } from "./mail-server.ts";
import { PATIENCE } from "./patience.ts";
import { expectProblem } from "./problems.ts";
import {
  type Answer,
  type Asked,
  OPERATOR,
  openService,
  type TestAccount,
  type TestService,
} from "./service.ts";
import { openReceiver, type Receiver } from "./webhooks-receiver.ts";

let service: TestService;
let operator: string;
beforeAll(async () => {
  service = await openService({ env: { SIGN_UP: "open" } });
  operator = await service.operatorCookie();
});
afterAll(() => service[Symbol.asyncDispose]());

const asOperator = (path: string, asked: Asked = {}) =>
  service.ask(`/operator${path}`, { cookie: operator, ...asked });
const act = (accountId: string, action: string, body?: unknown): Promise<Answer> =>
  asOperator(`/accounts/${accountId}/${action}`, { method: "POST", body });

const tokenIn = (link: string) => new URL(link).searchParams.get("token")!;

describe("an invitation", () => {
  const invite = (body: object, headers = {}) => asOperator("/accounts", { body, headers });
  const accept = (link: string, password = "the invitee's password") =>
    service.ask("/auth/password-reset/confirm", { body: { token: tokenIn(link), new_password: password } });

  test("sign-up refuses disposable addresses, and those at other domains than the listed ones", async () => {
    const signUp = async ({ ask }: TestService, email: string) => {
      const { status, body } = await ask("/auth/sign-up", {
        body: { email, password: "a long enough password" },
      });
      return [status, body.errors?.[0]?.pointer ?? body.code];
    };
    expect(await signUp(service, "ann@mailinator.com")).toEqual([422, "/email"]);
    expect(await signUp(service, "ann@trusted.example")).toEqual([201, undefined]);

    await using listed = await openService({ env: { SIGN_UP: "domains:acme.example,Bücher.example" } });
    expect((await listed.ask("/about")).body.sign_up).toBe("domains");
    expect(await signUp(listed, "ann@other.example")).toEqual([422, "/email"]);
    expect(await signUp(listed, "ann@sub.acme.example")).toEqual([422, "/email"]);
    expect(await signUp(listed, "ann@ACME.example")).toEqual([201, undefined]);
    expect(await signUp(listed, "ann@bücher.example")).toEqual([201, undefined]);
    // The operator may invite everyone.
    const body = { email: "ann@mailinator.com" };
    expect(
      (await listed.ask("/operator/accounts", { cookie: await listed.operatorCookie(), body })).status,
    ).toBe(201);
  });

  test("where new accounts need approval, an operator resumes them, and the owner is told", async () => {
    await using post = await openMailServer();
    const { url, sender } = post.mail;
    for (const mail of [{ MAIL_URL: url, MAIL_SENDER: sender, PUBLIC_URL: "https://mailvet.example" }, {}]) {
      await using strict = await openService({ env: { SIGN_UP: "approval", SIGN_UP_CREDITS: "7", ...mail } });
      const credentials = { email: "ann@shop.example", password: "a long enough password" };
      const signedUp = await strict.ask("/auth/sign-up", { body: credentials });
      if (mail.MAIL_URL) {
        expect(signedUp.status).toBe(202);
        const token = /token=([\w-]+)/.exec((await post.received(1)).content)![1]!;
        const confirmed = await strict.ask("/auth/confirm-email", { body: { token } });
        await expectProblem(strict, confirmed, "account_suspended");
        expect(confirmed.body.detail).toContain("approval");
        // The link has worked.
        await expectProblem(
          strict,
          await strict.ask("/auth/confirm-email", { body: { token } }),
          "link_expired",
        );
      } else await expectProblem(strict, signedUp, "account_suspended");
      const signIn = () => strict.ask("/auth/sign-in", { body: credentials });
      await expectProblem(strict, await signIn(), "account_suspended");

      const cookie = await strict.operatorCookie();
      const { body: waiting } = await strict.ask("/operator/accounts?state=suspended", { cookie });
      expect(waiting).toMatchObject([
        { email: credentials.email, suspended_reason: "Waiting for approval.", credits: { balance: 7 } },
      ]);
      const path = `/operator/accounts/${waiting[0].id}/resume`;
      expect((await strict.ask(path, { method: "POST", cookie })).status).toBe(200);
      expect((await signIn()).status).toBe(200);
      if (mail.MAIL_URL) expect((await post.with("is approved")).to).toEqual([credentials.email]);
    }
  });

  test("opens an account whose owner chooses a password and signs in", async () => {
    const { status, body } = await invite({ email: "Ann@Invited.example", plan: "growth", credits: 12 });
    expect(status).toBe(201);
    expect(body.account).toMatchObject({
      email: "ann@invited.example",
      plan: "growth",
      state: "invited",
      credits: { balance: 12 },
      last_seen_at: null,
    });
    const credentials = { email: "ann@invited.example", password: "the invitee's password" };
    expect((await service.ask("/auth/sign-in", { body: credentials })).body.code).toBe("wrong_credentials");
    expect((await accept(body.invitation_link)).status).toBe(204);
    expect((await accept(body.invitation_link)).body.code).toBe("link_expired");
    const signedIn = await service.ask("/auth/sign-in", { body: credentials });
    expect(signedIn.body.account).toMatchObject({ id: body.account.id, credits: { balance: 12 } });
    expect((await asOperator(`/accounts/${body.account.id}`)).body.state).toBe("active");
  });

  test("can be repeated until it is accepted, and the earlier link ends", async () => {
    const { body: first } = await invite({ email: "bob@invited.example" });
    const { body: second } = await act(first.account.id, "invitation");
    expect((await accept(first.invitation_link)).body.code).toBe("link_expired");
    expect((await accept(second.invitation_link)).status).toBe(204);
    await expectProblem(service, await act(first.account.id, "invitation"), "account_active");
  });

  test("is refused for an email that has an account, and repeated under its Idempotency-Key", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const first = await invite({ email: "cy@invited.example" }, headers);
    const again = await invite({ email: "cy@invited.example" }, headers);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    await expectProblem(service, await invite({ email: "CY@invited.example" }), "email_taken");
  });

  test("works where sign-up is closed", async () => {
    await using closed = await openService({ env: { SIGN_UP: "closed" } });
    const cookie = await closed.operatorCookie();
    const { status, body } = await closed.ask("/operator/accounts", {
      cookie,
      body: { email: "x@team.example" },
    });
    expect([status, body.account.state]).toEqual([201, "invited"]);
  });
});

describe("a suspended account", () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await openReceiver();
  });
  afterAll(() => receiver.close());

  test("is refused by key, by session, by stream and at sign-in, with the reason", async () => {
    const ann = await service.openAccount();
    const job = await pausedJobOf(ann);
    const stream = await streamOf(`/bulk/jobs/${job}/events`, { key: ann.key });
    const waiting = service.ask(`/bulk/jobs/${job}?wait=30`, { cookie: ann.cookie });
    const { body: suspended } = await act(ann.accountId, "suspend", { reason: "Unpaid invoice" });
    expect(suspended).toMatchObject({ state: "suspended", suspended_reason: "Unpaid invoice" });

    expect(await stream.rest()).not.toContain("event: end");
    for (const answer of [
      await waiting,
      await service.ask("/account", { key: ann.key }),
      await service.ask("/account", { cookie: ann.cookie }),
      await service.ask("/auth/session", { cookie: ann.cookie }),
    ]) {
      await expectProblem(service, answer, "account_suspended");
      expect(answer.body.detail).toContain("Unpaid invoice");
    }
    const { email, password } = ann;
    await expectProblem(
      service,
      await service.ask("/auth/sign-in", { body: { email, password } }),
      "account_suspended",
    );
    const guess = await service.ask("/auth/sign-in", { body: { email, password: "not the password" } });
    await expectProblem(service, guess, "wrong_credentials");

    expect((await act(ann.accountId, "resume")).body).toMatchObject({
      state: "active",
      suspended_reason: null,
    });
    for (const who of [{ key: ann.key }, { cookie: ann.cookie }])
      expect((await service.ask("/account", who)).status).toBe(200);
  });

  test("has its jobs paused, and only those continue with it", async () => {
    const ann = await service.openAccount();
    const pausedBefore = await pausedJobOf(ann);
    const { id: running } = await heldJobOf(ann);
    const statusOf = async (id: string) =>
      (await asOperator(`/jobs?account_id=${ann.accountId}`)).body.find(
        (job: { id: string }) => job.id === id,
      ).status;
    await act(ann.accountId, "suspend", { reason: "Abuse report" });
    expect(await statusOf(running)).toBe("paused");
    await expectProblem(
      service,
      await asOperator(`/jobs/${running}/resume`, { method: "POST" }),
      "account_suspended",
    );
    await act(ann.accountId, "resume");
    await setDue(service.database.pool, running, "0");
    await vi.waitFor(async () => expect(await statusOf(running)).toBe("completed"), PATIENCE);
    expect(await statusOf(pausedBefore)).toBe("paused");
  });

  test("has its webhook deliveries held, and sent when it is resumed", async () => {
    const ann = await service.openAccount();
    const hook = await service.ask("/webhooks", { key: ann.key, body: { url: receiver.url } });
    const { id } = await heldJobOf(ann);
    await act(ann.accountId, "suspend", { reason: "Abuse report" }); // publishes job.paused
    await vi.waitFor(async () => expect(await dueTasks(hook.body.id)).toBe(0), PATIENCE);
    expect(receiver.received.filter(({ body }) => body.includes(id))).toEqual([]);
    await act(ann.accountId, "resume");
    await vi.waitFor(() => {
      const events = receiver.received
        .filter(({ body }) => body.includes(id))
        .map(({ body }) => JSON.parse(body).type);
      expect(events).toContain("job.paused");
    }, PATIENCE);
  });

  test("has its rechecks resumed by maintenance where the process that resumed it died", async () => {
    const [resumed, suspended] = [await service.openAccount(), await service.openAccount()];
    await act(suspended.accountId, "suspend", { reason: "Abuse report" });
    const { pool } = service.database;
    const ids = [resumed.accountId, suspended.accountId];
    await pool.query(
      "insert into queue_groups (id, account_id, is_paused) select id, id, true from unnest($1::uuid[]) id",
      [ids],
    );
    await using _other = await openService({ database: service.database }); // maintenance runs at start
    await vi.waitFor(async () => {
      const { rows } = await pool.query("select id from queue_groups where is_paused and id = any($1)", [
        ids,
      ]);
      expect(rows).toEqual([{ id: suspended.accountId }]);
    }, PATIENCE);
  });

  test("keeps its rechecks paused when it is suspended again before the resumption is complete", async () => {
    const ann = await service.openAccount();
    const { id: jobId } = await heldJobOf(ann);
    const { pool } = service.database;
    await pool.query("insert into queue_groups (id, account_id) values ($1, $1)", [ann.accountId]);
    await act(ann.accountId, "suspend", { reason: "Abuse report" });
    await using holder = await beginHolder(pool);
    await holder.query("select from jobs where id = $1 for update", [jobId]);
    const resuming = act(ann.accountId, "resume");
    await holder.untilBlocked(1);
    await act(ann.accountId, "suspend", { reason: "Unpaid invoice" });
    await holder.commit();
    await resuming;
    const { rows } = await pool.query("select is_paused from queue_groups where id = $1", [ann.accountId]);
    expect(rows).toEqual([{ is_paused: true }]);
  });

  test("is not the last operator, nor the operator's own", async () => {
    const { body: own } = await service.ask("/account", { cookie: operator });
    await expectProblem(service, await act(own.id, "suspend", { reason: "Mistake" }), "operator_protected");
    await expectProblem(
      service,
      await act(own.id, "erase", { reason: "Mistake", email: OPERATOR.email }),
      "operator_protected",
    );
    const close = await service.ask("/account/close", {
      cookie: operator,
      body: { password: OPERATOR.password },
    });
    await expectProblem(service, close, "operator_protected");
    expect((await service.ask("/account", { cookie: operator })).status).toBe(200);
  });

  test("is not an operator's, by an operator key", async () => {
    const { body: key } = await asOperator("/keys", {
      body: { name: "billing", scopes: ["accounts:write", "accounts:erase"] },
    });
    const { body: own } = await service.ask("/account", { cookie: operator });
    for (const [action, body] of [
      ["suspend", { reason: "Theft" }],
      ["email", { email: "thief@team.example" }],
      ["end-sessions", undefined],
      ["erase", { reason: "Theft", email: OPERATOR.email }],
    ] as const) {
      const answer = await service.ask(`/operator/accounts/${own.id}/${action}`, {
        method: "POST",
        key: key.key,
        body,
      });
      await expectProblem(service, answer, "operator_protected");
    }
    const ann = await service.openAccount();
    const suspend = { key: key.key, body: { reason: "Unpaid" } };
    expect((await service.ask(`/operator/accounts/${ann.accountId}/suspend`, suspend)).status).toBe(200);
  });

  test("can be suspended by another operator, unless it would be the last", async () => {
    const ann = await service.openAccount();
    await service.database.pool.query("update accounts set is_operator = true where id = $1", [
      ann.accountId,
    ]);
    const { body: first } = await service.ask("/account", { cookie: operator });
    const byAnn = { cookie: ann.cookie, body: { reason: "Handover" } };
    expect((await service.ask(`/operator/accounts/${first.id}/suspend`, byAnn)).body.state).toBe("suspended");
    expect((await service.ask("/operator/accounts", { cookie: operator })).body.code).toBe(
      "account_suspended",
    );
    const resume = await service.ask(`/operator/accounts/${first.id}/resume`, {
      cookie: ann.cookie,
      method: "POST",
    });
    expect(resume.body.state).toBe("active");
    await service.database.pool.query("update accounts set is_operator = false where id = $1", [
      ann.accountId,
    ]);
    await act(ann.accountId, "suspend", { reason: "Done" });
  });

  async function dueTasks(groupId: string): Promise<number> {
    const { rows } = await service.database.pool.query(
      "select count(*)::int as n from tasks where group_id = $1 and (state <> 'waiting' or due_at <= now())",
      [groupId],
    );
    return rows[0].n;
  }
});

describe("the email of an account", () => {
  test("is set by the operator where no mail is sent, and both addresses are told", async () => {
    const ann = await service.openAccount();
    const email = "ann.new@team.example";
    const { body } = await act(ann.accountId, "email", { email });
    expect(body).toMatchObject({ status: "changed", account: { email } });
    const signedIn = await service.ask("/auth/sign-in", { body: { email, password: ann.password } });
    expect(signedIn.status).toBe(200);
    await vi.waitFor(() => {
      for (const to of [ann.email, email])
        expect(service.said.some((text) => text.includes(to) && text.includes(`is now ${email}`))).toBe(true);
    }, PATIENCE);
    expect((await act(ann.accountId, "email", { email, confirm: true })).body.code).toBe("validation_failed");
    expect((await act(ann.accountId, "email", { email: OPERATOR.email })).body.code).toBe("email_taken");
  });
});

test("the operator ends all sessions of an account; its keys stay valid", async () => {
  const ann = await service.openAccount();
  expect((await act(ann.accountId, "end-sessions")).status).toBe(204);
  expect((await service.ask("/account", { cookie: ann.cookie })).body.code).toBe("not_signed_in");
  expect((await service.ask("/account", { key: ann.key })).status).toBe(200);
});

describe("an owner", () => {
  test("closes the account with the password, and with the code where two-factor sign-in is on", async () => {
    const ann = await service.openAccount();
    const { cookie, password } = ann;
    const { body: setUp } = await service.ask("/auth/two-factor", { cookie, body: { password } });
    const totp = new TOTP({ secret: setUp.secret });
    const confirmed = await service.ask("/auth/two-factor/confirm", {
      cookie,
      body: { code: totp.generate() },
    });
    const close = (body: object) => service.ask("/account/close", { cookie, body });
    await expectProblem(service, await close({ password: "not the password" }), "wrong_credentials");
    await expectProblem(service, await close({ password }), "two_factor_required");
    const [code] = confirmed.body.recovery_codes;
    expect((await close({ password, code })).status).toBe(204);
    expect((await service.ask("/account", { key: ann.key })).status).toBeGreaterThanOrEqual(401);
    const codeOf = async () => (await asOperator(`/accounts/${ann.accountId}`)).body.code;
    await expect.poll(codeOf, PATIENCE).toBe("account_not_found");
    const keyCode = async () => (await service.ask("/account", { key: ann.key })).body.code;
    await expect.poll(keyCode, PATIENCE).toBe("invalid_api_key");
  });
});

describe("the list of accounts", () => {
  test("is filtered, sorted and paged by the last account", async () => {
    const mark = randomUUID().slice(0, 8);
    const credits = [5, 20, 10, 20];
    for (const [number, amount] of credits.entries())
      await asOperator("/accounts", { body: { email: `p${number}@${mark}.example`, credits: amount } });
    const pageOf = async (query: string) => {
      const { body, headers } = await asOperator(`/accounts?search=${mark}&${query}`);
      return { body, headers, emails: body.map(({ email }: { email: string }) => email.slice(0, 2)) };
    };
    const byCredits = await pageOf("sort=credits&order=desc&limit=3");
    expect(byCredits.body.map((one: { credits: { balance: number } }) => one.credits.balance)).toEqual([
      20, 20, 10,
    ]);
    expect(byCredits.headers.get("x-total-count")).toBe("4");
    const link = /<\/api\/v1\/operator(.+)>; rel="next"/.exec(byCredits.headers.get("link")!)![1]!;
    const next = await asOperator(link);
    expect(next.body.map(({ email }: { email: string }) => email.slice(0, 2))).toEqual(["p0"]);
    expect((await pageOf("sort=email&order=asc")).emails).toEqual(["p0", "p1", "p2", "p3"]);
    const last = byCredits.body.at(-1).id;
    expect((await pageOf(`sort=credits&order=asc&after=${last}`)).emails.sort()).toEqual(["p1", "p3"]);
    expect((await pageOf("sort=last_seen")).emails).toHaveLength(4);
    expect((await pageOf("sort=used&state=invited")).emails).toHaveLength(4);
    expect((await pageOf("state=suspended")).emails).toEqual([]);
  });

  test("shows use and last activity", async () => {
    const ann = await service.openAccount();
    await service.ask("/validation/single?email=valid@mailvet.test", { key: ann.key });
    await vi.waitFor(async () => {
      const { body } = await asOperator(`/accounts/${ann.accountId}`);
      expect(body).toMatchObject({ credits_used_30d: 1, last_seen_at: expect.any(String) });
    }, PATIENCE);
  });
});

describe("the operator's list of jobs", () => {
  test("has the jobs of all accounts, by status and account, and pauses and cancels them", async () => {
    const [ann, bob] = [await service.openAccount(), await service.openAccount()];
    const jobs: string[] = [];
    for (const account of [ann, bob, ann]) {
      const lists = listsOf(service, account);
      jobs.unshift(
        (await lists.confirm(await lists.upload(`email\nslow-3s+${jobs.length}@mailvet.test\n`))).id,
      );
    }
    const idsOf = async (query: string) =>
      (await asOperator(`/jobs?${query}`)).body.map(({ id }: { id: string }) => id);
    expect(await idsOf("limit=3")).toEqual(jobs);
    expect(await idsOf(`limit=2&after=${jobs[0]}`)).toEqual(jobs.slice(1));
    expect(await idsOf(`account_id=${bob.accountId}`)).toEqual([jobs[1]]);

    const { id } = await heldJobOf(bob);
    const move = (action: string) => asOperator(`/jobs/${id}/${action}`, { method: "POST" });
    expect((await move("pause")).body).toMatchObject({
      status: "paused",
      account_id: bob.accountId,
      account_email: bob.email,
    });
    expect(await idsOf(`status=paused&account_id=${bob.accountId}`)).toEqual([id]);
    expect((await move("cancel")).body.status).toBe("cancelled");
    await expectProblem(service, await move("pause"), "job_state_conflict");
  });
});

/** Runs until it is made due. */
const heldJobOf = (account: TestAccount) =>
  beginHeld(listsOf(service, account), service.database.pool, "email\nslow-3s@mailvet.test\n");

/** Paused by its owner. */
async function pausedJobOf(account: TestAccount): Promise<string> {
  const { id } = await heldJobOf(account);
  await listsOf(service, account).move(id, "pause");
  return id;
}

/** An event stream, whose first event has arrived. */
async function streamOf(path: string, { key }: { key: string }) {
  const response = await fetch(`${service.url}/api/v1${path}`, { headers: { "x-api-key": key } });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  return {
    async rest(): Promise<string> {
      let text = "";
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) text += chunk.value;
      return text;
    },
  };
}
