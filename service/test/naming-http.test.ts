/** A deployment learns the naming pattern of a domain, and uses it where mail servers no longer reveal mailboxes. */
import { type Lab, type MailWorld, mailDomain, openLab } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { listsOf } from "./jobs-http-world.ts";
import { PATIENCE } from "./patience.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";

const STAFF = ["anna.schmidt", "john.smith", "maria.garcia", "peter.jones", "laura.rossi", "thomas.weber"];
const DOMAINS = ["open.test", "grey.test"];
const GREYLISTED = "451 4.7.1 Greylisted, please try again in 300 seconds";

let lab: Lab;
let database: TestDatabase;
let service: TestService;
/** An account without proven mailboxes. */
let bob: TestAccount;

// Two domains whose servers answer honestly until moved: then one accepts everything, the other defers everything.
beforeAll(async () => {
  let hasMoved = false;
  const users = ({ localPart }: { localPart: string }) => STAFF.includes(localPart);
  const putOff = () => (hasMoved ? { reply: GREYLISTED } : undefined);
  const world: MailWorld = {
    "open.test": mailDomain({ users, temper: { mailbox: () => (hasMoved ? "catch_all" : undefined) } }),
    "grey.test": mailDomain({ users, temper: { on: { rcpt: putOff } } }),
    "list.test": mailDomain({ temper: { mailbox: () => "catch_all" } }),
  };
  [lab, database] = await Promise.all([openLab(world), openTestDatabase()]);
  {
    await using before = await openService({ lab, database });
    const ann = await before.openAccount();
    bob = await before.openAccount();
    const emails = DOMAINS.flatMap((domain) =>
      [...STAFF, "xavier.unknown"].map((local) => `${local}@${domain}`),
    );
    const { body } = await before.ask("/validation/bulk", { key: ann.key, body: { emails } });
    expect(body).toMatchObject({ valid_count: 2 * STAFF.length, invalid_count: 2 });
  }
  hasMoved = true;
  service = await openService({ lab, database });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await database.close();
  await lab[Symbol.asyncDispose]();
});

async function check(email: string) {
  const { status, body } = await service.ask(`/validation/single?email=${encodeURIComponent(email)}`, {
    key: bob.key,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function mailboxesAt(domain: string): Promise<number | undefined> {
  const { rows } = await database.pool.query("select mailboxes from naming_patterns where domain = $1", [
    domain,
  ]);
  return rows[0]?.mailboxes;
}

test("proven mailboxes are counted by the time the service has stopped, rejected ones are not", async () => {
  for (const domain of DOMAINS) expect(await mailboxesAt(domain)).toBe(STAFF.length);
});

test.each([
  ["open.test", "catch_all"],
  ["grey.test", "greylisted"],
])(
  "at %s, now %s, a name like those proven scores above others, and the reason is given",
  async (domain, now) => {
    // A pattern that is read too late for one check is in the cache for the next.
    let surname = "meier";
    await vi.waitFor(async () => {
      const { ai_enhancement } = await check(`paula.${surname}@${domain}`);
      surname += "s"; // a verdict is cached too
      expect(ai_enhancement.reasons.join()).toContain("first.last");
    }, PATIENCE);
    const [fitting, unlike, mash] = await Promise.all(
      ["julia.novak", "jnovak", "xq7zkw"].map((local) => check(`${local}@${domain}`)),
    );
    for (const one of [fitting, unlike, mash]) expect(one).toMatchObject({ sub_status: now });
    expect(fitting.ai_enhancement).toMatchObject({ used: true });
    expect(fitting.ai_enhancement.reasons.join("; ")).toContain(
      "follows first.last, like 5 of 5 confirmed mailboxes at this domain",
    );
    expect(unlike.ai_enhancement.reasons.join("; ")).toContain("does not follow first.last");
    expect(fitting.score).toBeGreaterThan(unlike.score);
    expect(unlike.score).toBeGreaterThanOrEqual(mash.score);
    expect(fitting.score).toBeGreaterThan(mash.score + 10);
  },
);

test("lists add naming and typo suggestions, in a request and in a job", async () => {
  const locals = ["julia.novak", "jnovak", ...STAFF];
  const typo = "julia.larsen@lsit.test"; // there is no such domain
  const emails = [...locals.map((local) => `${local}@list.test`), typo];

  const { body } = await service.ask("/validation/bulk", { key: bob.key, body: { emails } });
  const inRequest = new Map<string, number>(
    body.results.map(({ email, score }: { email: string; score: number }) => [email, score]),
  );
  expect(body).toMatchObject({ risky_count: locals.length, invalid_count: 1 });
  expect(body.results.at(-1)).toMatchObject({ email: typo, suggestion: "julia.larsen@list.test" });
  expect(inRequest.get("julia.novak@list.test")).toBeGreaterThan(inRequest.get("jnovak@list.test")!);

  const lists = listsOf(service, bob);
  const job = await lists.ended((await lists.begin(["email", ...emails].join("\n"))).id);
  expect(job.sub_status_counts).toEqual({ catch_all: locals.length, domain_not_found: 1 });
  const [header, ...rows] = await lists.download(job.id);
  const [email, score, suggestion] = ["email", "score", "suggestion"].map((name) =>
    header!.findIndex((cell) => cell.endsWith(name)),
  );
  expect(new Map(rows.map((cells) => [cells[email!], Number(cells[score!])]))).toEqual(inRequest);
  expect(rows.map((cells) => cells[suggestion!])).toEqual([
    ...locals.map(() => ""),
    "julia.larsen@list.test",
  ]);

  const alone = await check("jnovak@list.test");
  expect(alone.score).toBeGreaterThan(inRequest.get("jnovak@list.test")!); // alone, there is no pattern it deviates from
  expect(await mailboxesAt("list.test")).toBeUndefined(); // and nothing was proven
});
