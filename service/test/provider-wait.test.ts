/** Lists while a mail provider refuses the address of the installation: their rows wait, and cost nothing. */
import type { Job, JobResult } from "@mailvet/contract";
import { blocksClient, type Lab, mailDomain, mailHost, openLab, type Temperament } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { expectBooksToAddUp } from "./credits-books.ts";
import { type Lists, listsOf, setDue } from "./jobs-http-world.ts";
import { PATIENCE } from "./patience.ts";
import { openService, type TestService } from "./service.ts";

const ROWS = 3_000;
const HOST = "mx0a-00112233.pphosted.com";

let isRefused = true;
const refusal = blocksClient({ at: "banner" }).on!.banner!;
const relenting: Temperament = { on: { banner: (session) => (isRefused ? refusal(session) : undefined) } };

let lab: Lab;
let service: TestService;
beforeAll(async () => {
  const users = ({ localPart }: { localPart: string }) => /^person\d/.test(localPart);
  lab = await openLab({
    [HOST]: mailHost({ temper: relenting }),
    "shop.example-lab.com": mailDomain({ mx: [HOST], users }),
    "open.example-lab.com": mailDomain({ users }),
    "alone.example-lab.com": mailDomain({ users, temper: blocksClient({ at: "banner" }) }),
  });
  service = await openService({ lab });
});
afterAll(async () => {
  await expectBooksToAddUp(service.database);
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

const peopleAt = (domain: string, count: number) =>
  Array.from({ length: count }, (_, n) => `person${n}@${domain}`);
const listOf = (...emails: readonly string[]) => `email\n${emails.join("\n")}\n`;
const creditsOf = async (lists: Lists) => {
  const { balance, reserved } = (await lists.ask("/credits")).body;
  return { balance, reserved };
};

/** The breaker's time is over, and so is the wait of the rows. */
async function passTime({ database }: TestService, jobId: string): Promise<void> {
  await database.pool.query(
    `update throttle_states set tripped_until = now() - interval '1 second' where tripped_until > now()
     returning pg_notify('pace_changed', key)`,
  );
  await setDue(database.pool, jobId, "0");
}

const isWaiting = ({ phase }: Job) => phase === "waiting_for_provider";

test("3,000 rows wait without cost while a provider refuses the installation, and complete once it relents", async () => {
  const lists = listsOf(service, await service.openAccount({ credits: ROWS + 1 }));
  const emails = [...peopleAt("shop.example-lab.com", ROWS), ...peopleAt("open.example-lab.com", 1)];
  const { id } = await lists.begin(listOf(...emails));
  const job = await lists.until(id, (job) => isWaiting(job) && job.retrying.probe_blocked === ROWS);
  expect(job).toMatchObject({
    status: "processing",
    eta_reason: "waiting_for_provider",
    eta_seconds: null,
    waiting_for: [{ provider: "proofpoint", since: expect.any(String), emails: ROWS }],
    processed: 1,
    credits_used: 1,
    credits_reserved: ROWS + 1,
  });
  expect(lab.counts(HOST).connections).toBeLessThan(20);
  await passTime(service, id); // refused again
  await lists.until(id, (job) => isWaiting(job) && job.retrying.probe_blocked === ROWS);
  expect((await lists.job(id)).credits_used).toBe(1);

  isRefused = false;
  const done = await vi.waitFor(
    async () => {
      const job = await lists.job(id);
      if (job.phase === "waiting_for_provider") await passTime(service, id);
      expect(job.phase).toBe("done");
      return job;
    },
    { ...PATIENCE, interval: 1_000 },
  );
  expect(done).toMatchObject({ status: "completed", valid_count: ROWS + 1 });
  expect(done).not.toHaveProperty("waiting_for");
  expect(done).toMatchObject({ credits_used: ROWS + 1, credits_refunded: 0 });
  expect(await creditsOf(lists)).toEqual({ balance: 0, reserved: 0 });
});

test("a provider that does not relent: at the bound all rows are unknown, and refunded", async () => {
  isRefused = true;
  await using hasty = await openService({ lab, env: { PROVIDER_WAIT_HOURS: "0.001" } });
  const lists = listsOf(hasty, await hasty.openAccount({ credits: ROWS + 1 }));
  const emails = [...peopleAt("shop.example-lab.com", ROWS), ...peopleAt("open.example-lab.com", 1)];
  const done = await lists.ended((await lists.begin(listOf(...emails))).id);
  expect(done).toMatchObject({
    status: "completed",
    sub_status_counts: { "": 1, probe_blocked: ROWS },
    credits_used: ROWS + 1,
    credits_refunded: ROWS,
  });
  expect(await creditsOf(lists)).toEqual({ balance: ROWS, reserved: 0 });
  const results = (await lists.ask(`/bulk/jobs/${done.id}/results?limit=100`)).body as JobResult[];
  expect(results.map(({ reason }) => reason).join("\n")).toContain(
    "refuses the address of this installation at the moment",
  );
  await expectBooksToAddUp(hasty.database);
});

test("a job that is finished while rows wait for a provider charges only what was checked", async () => {
  isRefused = true;
  const lists = listsOf(service, await service.openAccount({ credits: 10 }));
  const { id } = await lists.begin(
    listOf(...peopleAt("shop.example-lab.com", 9), ...peopleAt("open.example-lab.com", 1)),
  );
  await lists.until(id, (job) => isWaiting(job) && job.retrying.probe_blocked === 9);
  await lists.ask(`/bulk/jobs/${id}/finish`, { method: "POST" });
  expect(await lists.ended(id)).toMatchObject({ unknown_count: 9, credits_used: 1, credits_refunded: 0 });
  expect(await creditsOf(lists)).toEqual({ balance: 9, reserved: 0 });
});

test("a single host that refuses the installation holds up no list, and costs nothing, one by one neither", async () => {
  const lists = listsOf(service, await service.openAccount({ credits: 10 }));
  const done = await lists.ended((await lists.begin(listOf("person1@alone.example-lab.com"))).id);
  expect(done).toMatchObject({ unknown_count: 1, credits_used: 1, credits_refunded: 1 });
  const { body } = await lists.ask("/validation/single?email=person2@alone.example-lab.com");
  expect(body).toMatchObject({ sub_status: "probe_blocked", metadata: { retry_after: 900 } });
  const bulk = await lists.ask("/validation/bulk", { body: { emails: ["person3@alone.example-lab.com"] } });
  expect(bulk.body).toMatchObject({ credits_used: 1, credits_refunded: 1 });
  expect(await creditsOf(lists)).toEqual({ balance: 10, reserved: 0 });
});
