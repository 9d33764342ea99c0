/** Live and test mode of one account: what was made in one does not exist in the other, and is not changed from there. */
import { randomUUID } from "node:crypto";
import { HEADERS } from "@mailvet/contract";
import { type Lab, mailDomain, openLab } from "@mailvet/lab";
import readExcelFile from "read-excel-file/node";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { requestTo } from "./endpoint-requests.ts";
import { ENDPOINTS, HOOK } from "./endpoints.ts";
import { cellsOf } from "./jobs-http-world.ts";
import { PATIENCE } from "./patience.ts";
import { pausedJob } from "./paused-job.ts";
import {
  type Answer,
  type Asked,
  formWith,
  openService,
  type TestAccount,
  type TestService,
} from "./service.ts";
import { openReceiver } from "./webhooks-receiver.ts";

const IN_TEST_MODE = { headers: { [HEADERS.mode]: "test" } };

type Mode = {
  /** The ways in: an API key of this mode, and the session in this mode. */
  callers: Asked[];
  ids: Record<string, string>;
  uploadId: string;
  doneJobId: string;
};

let lab: Lab;
let service: TestService;
let ann: TestAccount;
let live: Mode;
let sandbox: Mode;
beforeAll(async () => {
  lab = await openLab({ "asked.test": mailDomain({ users: ["ann"] }) });
  service = await openService({ lab });
  ann = await service.openAccount({ credits: 1_000 }); // none of its events is about low credits
  const { key: testKey } = await ann.makeKey({ mode: "test" });
  live = await settle([{ key: ann.key }, { cookie: ann.cookie }]);
  sandbox = await settle([{ key: testKey }, { cookie: ann.cookie, ...IN_TEST_MODE }]);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

describe.for([
  ["live", "test"],
  ["test", "live"],
] as const)("in %s mode", ([here, there]) => {
  const modeOf = (name: "live" | "test") => (name === "live" ? live : sandbox);
  const withIds = ENDPOINTS.filter(({ path }) =>
    /^(?!\/operator\/).*\{(job|list|webhook|delivery)_id\}/.test(path),
  );

  test.for(withIds)(`$name treats an id of ${there} mode like one that does not exist`, async (endpoint) => {
    const before = await stateOf(modeOf(there));
    for (const caller of modeOf(here).callers) {
      const ask = (ids: Record<string, string>) => {
        const { path, asked } = requestTo(endpoint, ids);
        return service.ask(path, { ...asked, ...caller, headers: { ...asked.headers, ...caller.headers } });
      };
      const { ids, doneJobId } = modeOf(there);
      for (const their of [ids, { ...ids, job_id: doneJobId }]) {
        const answer = await ask(their);
        expect(answer.status).toBe(404);
        expect(withoutId(answer)).toEqual(withoutId(await ask({})));
      }
    }
    expect(await stateOf(modeOf(there))).toEqual(before);
  });

  test(`an upload of ${there} mode cannot be estimated or confirmed, nor its job saved`, async () => {
    for (const caller of modeOf(here).callers) {
      const { uploadId, doneJobId } = modeOf(there);
      const ask = (path: string, body: unknown) => service.ask(path, { ...caller, body });
      const attempts = [
        [uploadId, (id: string) => ask("/bulk/upload/estimate", { upload_id: id, email_column: "email" })],
        [uploadId, (id: string) => ask("/bulk/upload/confirm", { upload_id: id, email_column: "email" })],
        [doneJobId, (id: string) => ask("/lists", { job_id: id, name: "theirs" })],
      ] as const;
      for (const [id, attempt] of attempts) {
        const answer = await attempt(id);
        expect(answer.status).toBe(404);
        expect(withoutId(answer)).toEqual(withoutId(await attempt(randomUUID())));
      }
    }
  });

  test("lists contain only what belongs to this mode", async () => {
    for (const caller of modeOf(here).callers) {
      const jobs = await service.ask("/bulk/jobs?limit=100", caller);
      expect(new Set(jobs.body.map(({ id }: { id: string }) => id))).toEqual(
        new Set([modeOf(here).doneJobId, modeOf(here).ids.job_id]),
      );
      const webhooks = await service.ask("/webhooks", caller);
      expect(webhooks.body.map(({ id }: { id: string }) => id)).toEqual([modeOf(here).ids.webhook_id]);
      const lists = await service.ask("/lists", caller);
      expect(lists.body.map(({ id }: { id: string }) => id)).toEqual([modeOf(here).ids.list_id]);
    }
  });
});

test("credits and usage of live mode are not seen in test mode, in no figure, ID or header", async () => {
  await service.ask("/validation/single", { key: ann.key, body: { email: "valid@mailvet.test" } });
  const FIGURES = {
    "/account": { credits: { balance: 1_000_000, reserved: 0 } },
    "/credits": { balance: 1_000_000, reserved: 0, ledger: [] },
    [`/credits?reference=${live.doneJobId}`]: { ledger: [] },
    "/credits/statement": { lines: [] },
    "/usage": { days: [] },
    "/feedback/report": { totals: { delivered: 0, bounced: 0 } },
  };
  const ask = (path: string, callers: Asked[]) =>
    Promise.all(callers.map((caller) => service.ask(path, caller)));
  for (const [path, simulated] of Object.entries(FIGURES)) {
    for (const { body, headers } of await ask(path, sandbox.callers)) {
      expect(body).toMatchObject(simulated);
      expect(headers.get("x-credits-remaining")).toBe("1000000");
      expect([null, "0"]).toContain(headers.get("x-total-count"));
    }
    for (const { headers } of await ask(path, live.callers))
      expect(Number(headers.get("x-credits-remaining"))).toBeLessThan(1_000);
  }
  for (const path of ["/credits/statement", "/usage"]) {
    for (const { text } of await ask(`${path}?format=csv`, sandbox.callers))
      expect(text.split("\r\n")).toEqual([expect.stringContaining("key_id"), ""]);
    const [{ body }] = (await ask(path, live.callers)) as [Answer];
    expect(body[path === "/usage" ? "days" : "lines"]).not.toEqual([]);
  }
  const session = await service.ask("/auth/session", sandbox.callers[1]);
  expect(session.body.account.credits).toEqual({ balance: 1_000_000, reserved: 0 });
});

test("everything made in test mode says so, and nothing in live mode does", async () => {
  for (const [mode, isSandbox] of [
    [live, undefined],
    [sandbox, true],
  ] as const) {
    for (const caller of mode.callers) {
      const job = `/bulk/jobs/${mode.doneJobId}`;
      expect((await service.ask(job, caller)).body.sandbox).toBe(isSandbox);
      const { body: results } = await service.ask(`${job}/results`, caller);
      expect(results.map((result: { sandbox?: true }) => result.sandbox)).toEqual([isSandbox, isSandbox]);
      const ndjson = (await service.ask(`${job}/download?format=ndjson`, caller)).text.trim().split("\n");
      expect(ndjson.map((line) => JSON.parse(line).sandbox)).toEqual([isSandbox, isSandbox]);
      const csv = cellsOf((await service.ask(`${job}/download?format=csv`, caller)).text);
      expect(csv.map((cells) => cells[csv[0]!.indexOf("mailvet_sandbox")])).toEqual(
        isSandbox ? ["mailvet_sandbox", "true", "true"] : [undefined, undefined, undefined],
      );
      const xlsx = await rowsOf(`${job}/download?format=xlsx`, caller);
      expect(xlsx.map((cells) => cells[xlsx[0]!.indexOf("mailvet_sandbox")])).toEqual(
        isSandbox ? ["mailvet_sandbox", true, true] : [undefined, undefined, undefined],
      );
      expect((await service.ask(`/lists/${mode.ids.list_id}`, caller)).body.sandbox).toBe(isSandbox);
      const webhook = `/webhooks/${mode.ids.webhook_id}`;
      expect((await service.ask(webhook, caller)).body.sandbox).toBe(isSandbox);
      const { body: deliveries } = await service.ask(`${webhook}/deliveries`, caller);
      for (const { message } of deliveries) expect(JSON.parse(message).sandbox).toBe(isSandbox);
    }
  }
});

test("a link to a download names its mode in the query", async () => {
  const { cookie } = ann;
  const link = (id: string, query: string) => service.ask(`/bulk/jobs/${id}/download${query}`, { cookie });
  expect((await link(sandbox.doneJobId, "?mode=test")).status).toBe(200);
  expect((await link(sandbox.doneJobId, "")).status).toBe(404);
  expect((await link(live.doneJobId, "?mode=test")).status).toBe(404);
});

test("the events of a job go to the endpoints of its mode", async () => {
  for (const mode of [live, sandbox]) {
    const [caller] = mode.callers;
    await service.ask(`/webhooks/${mode.ids.webhook_id}`, {
      ...caller,
      method: "PATCH",
      body: { is_enabled: true },
    });
  }
  const { body: job } = await startJob(sandbox.callers[0]!, "email\nvalid+events@mailvet.test\n");
  await isCompleted(sandbox.callers[0]!, job.id);
  const eventsOf = async ({ callers, ids }: Mode) => {
    const { body } = await service.ask(`/webhooks/${ids.webhook_id}/deliveries`, callers[0]);
    return body.map(({ event }: { event: string }) => event);
  };
  expect(await eventsOf(sandbox)).toContain("job.completed");
  expect(await eventsOf(live)).toEqual(["webhook.test"]);
});

test("a session in test mode contacts no server and is not charged", async () => {
  const { balance } = (await service.ask("/credits", { cookie: ann.cookie })).body;
  const { body } = await service.ask("/validation/single", {
    cookie: ann.cookie,
    ...IN_TEST_MODE,
    body: { email: "mailbox-full@real-company.example" },
  });
  expect(body).toMatchObject({ sub_status: "mailbox_full", metadata: { sandbox: true } });
  expect((await service.ask("/credits", { cookie: ann.cookie })).body.balance).toBe(balance);
});

test("an API key has its own mode, whatever the header says", async () => {
  const { body } = await service.ask(`/bulk/jobs/${live.doneJobId}`, { key: ann.key, ...IN_TEST_MODE });
  expect(body.id).toBe(live.doneJobId);
});

test("a test key works on a plan without API access, and a live key does not", async () => {
  const eve = await service.openAccount({ plan: "free" });
  const { key: testKey } = await eve.makeKey({ mode: "test" });
  const check = (key: string) => service.ask("/validation/single?email=valid@shop.example", { key });
  expect((await check(testKey)).body).toMatchObject({ status: "valid", metadata: { sandbox: true } });
  expect(await check(eve.key)).toMatchObject({ status: 403, body: { code: "api_access_not_included" } });
});

test("in test mode no connection is made, except to the endpoints that were added in it", async () => {
  await using receiver = await openReceiver();
  const { url } = receiver;
  const emails = ["ann@asked.test"];
  for (const caller of sandbox.callers) {
    const ask = (path: string, body?: object) => service.ask(path, { ...caller, ...(body && { body }) });
    const refusals = {
      link_rejected: await ask("/bulk/upload/link", { url }),
      webhook_url_rejected: await ask("/bulk/jobs", { emails, webhook_url: url }),
    };
    for (const [code, { status, body }] of Object.entries(refusals)) {
      const detail = expect.stringMatching(/^Test mode makes no connections/);
      expect({ status, body }).toMatchObject({ status: 422, body: { code, detail } });
    }
    expect((await ask("/validation/single", { email: emails[0] })).status).toBe(200);
    await ask("/domains/asked.test");
    await isCompleted(caller, (await ask("/bulk/jobs", { emails })).body.id);
  }
  expect(receiver.connections()).toBe(0);
  expect(lab.questions("asked.test")).toEqual([]);

  const [caller] = sandbox.callers;
  const { body } = await service.ask("/webhooks", { ...caller, body: { url } });
  await service.ask(`/webhooks/${body.id}/test`, { ...caller, method: "POST" });
  await expect.poll(() => receiver.received.length).toBe(1);
  await service.ask(`/webhooks/${body.id}`, { ...caller, method: "DELETE" });
});

/** An unconfirmed upload, a job that has ended and is saved as a list, a paused one, and a disabled endpoint with a delivery. */
async function settle(callers: Asked[]): Promise<Mode> {
  const caller = callers[0]!;
  const start = async () => (await startJob(caller, "email\nslow-3s@mailvet.test\n")).body.id;
  const pausedJobId = await pausedJob(service, caller, start);
  const { body: done } = await startJob(caller, "email\nvalid@mailvet.test\ncatch-all@mailvet.test\n");
  await isCompleted(caller, done.id);
  const { body: list } = await service.ask("/lists", { ...caller, body: { job_id: done.id, name: "all" } });
  const { body: upload } = await preview(caller, "email\nvalid@mailvet.test\n");
  const { body: webhook } = await service.ask("/webhooks", { ...caller, body: { url: HOOK } });
  const { body: delivery } = await service.ask(`/webhooks/${webhook.id}/test`, { ...caller, method: "POST" });
  await service.ask(`/webhooks/${webhook.id}`, { ...caller, method: "PATCH", body: { is_enabled: false } });
  return {
    callers,
    uploadId: upload.upload_id,
    doneJobId: done.id,
    ids: { job_id: pausedJobId, list_id: list.id, webhook_id: webhook.id, delivery_id: delivery.id },
  };
}

const preview = (caller: Asked, text: string) =>
  service.ask("/bulk/upload/preview", { ...caller, form: formWith(text) });

async function startJob(caller: Asked, text: string): Promise<Answer> {
  const { body } = await preview(caller, text);
  const confirmation = { upload_id: body.upload_id, email_column: "email" };
  return service.ask("/bulk/upload/confirm", { ...caller, body: confirmation });
}

async function isCompleted(caller: Asked, jobId: string): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await service.ask(`/bulk/jobs/${jobId}`, caller);
    expect(body.status).toBe("completed");
  }, PATIENCE);
}

async function rowsOf(path: string, { key, cookie, headers }: Asked) {
  const answer = await fetch(`${service.url}/api/v1${path}`, {
    headers: { ...headers, ...(key ? { "x-api-key": key } : {}), ...(cookie ? { cookie } : {}) },
  });
  const [sheet] = await readExcelFile(Buffer.from(await answer.arrayBuffer()));
  return sheet!.data;
}

/** Without what changes by itself: the rate of a paused job. */
async function stateOf({ callers }: Mode): Promise<unknown> {
  const [caller] = callers;
  const paths = ["/bulk/jobs", "/lists", "/webhooks"];
  const answers = await Promise.all(paths.map((path) => service.ask(path, caller)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  return JSON.parse(JSON.stringify(answers.map(({ body }) => body)), (name, value) =>
    name === "rate_per_second" ? undefined : value,
  );
}

function withoutId({ status, body }: Answer): unknown {
  return { status, body: { ...body, request_id: undefined } };
}
