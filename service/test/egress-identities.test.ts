/** Egress identities of a deployment: shared by processes, owned by one, capped per day, and reported. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decide, readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import { type Lab, mailDomain, openLab } from "@mailvet/lab";
import { afterAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { testOnOneDay } from "./one-day.ts";
import { type PacingProcess, startPacing } from "./pacing-world.ts";
import { openService } from "./service.ts";

const ONE = "127.0.0.2";
const TWO = "127.0.0.3";
const CAP = 2;
const PEOPLE = 60;

const folder = mkdtempSync(join(tmpdir(), "mailvet-egress-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

type Fields = Record<string, unknown>;

function egressFile(one: Fields = {}, two: Fields = {}): string {
  const path = join(folder, `egress-${files++}.json`);
  const identities = [
    { name: "one", ehlo_name: "one.probe.test", source_address: ONE, ...one },
    { name: "two", ehlo_name: "two.probe.test", source_address: TWO, ...two },
  ];
  writeFileSync(path, JSON.stringify({ identities }));
  return path;
}

const settingsIn = (lab: Lab, path: string, processName = "worker-1") =>
  readEngineSettings(
    settingsFrom({
      ...lab.env,
      CONNECTIONS_PER_HOST: String(CAP),
      EGRESS_FILE: path,
      PROCESS_NAME: processName,
    }),
  );

/** A domain with more people than one session takes, at a host with a cap for each source. */
const SHOP = mailDomain({
  users: ({ localPart }) => /^person\d/.test(localPart),
  latencyMs: 10,
  connectionCap: CAP,
});

/** Checks people at each domain as a process with this name; every one exists. */
async function work(
  lab: Lab,
  pacing: PacingProcess,
  { path, processName, first = 0 }: { path: string; processName?: string; first?: number },
  domains: readonly string[],
): Promise<void> {
  const settings = settingsIn(lab, path, processName);
  const verifier = verifierFrom(settings, { limiterFor: pacing.pace, gateFor: pacing.gateFor });
  const emails = domains.flatMap((name) =>
    Array.from({ length: PEOPLE }, (_, i) => `person${first + i}@${name}`),
  );
  const verdicts = new Set<string>();
  for await (const evidence of verifier.verifyMany(emails, "smtp")) verdicts.add(decide(evidence).status);
  await verifier.close();
  expect([...verdicts]).toEqual(["valid"]);
}

const shops = (count: number) => Array.from({ length: count }, (_, i) => `shop${i}.test`);
const labWith = (names: readonly string[]) => openLab(Object.fromEntries(names.map((name) => [name, SHOP])));

/** Connections that hosts saw of a source: in all, and the most at once at one host. */
function seenOf(lab: Lab, names: readonly string[], client: string) {
  const seen = names.map((name) => lab.counts(`mx.${name}`).clients[client]);
  return {
    connections: seen.reduce((sum, counts) => sum + (counts?.connections ?? 0), 0),
    atOnce: Math.max(...seen.map((counts) => counts?.maxConcurrentConnections ?? 0)),
  };
}

const leaseKeys = async ({ pool }: TestDatabase) =>
  (await pool.query<{ key: string }>("select key from host_leases order by key")).rows.map(({ key }) => key);

test("two processes that share two identities never exceed the cap of either together", async () => {
  const names = shops(4);
  await using lab = await labWith(names);
  await using database = await openTestDatabase();
  const path = egressFile();
  await using first = await startPacing(database.connection);
  await using second = await startPacing(database.connection);
  await Promise.all([work(lab, first, { path }, names), work(lab, second, { path, first: PEOPLE }, names)]);
  for (const client of [ONE, TWO]) expect(seenOf(lab, names, client).atOnce).toBe(CAP);
  for (const name of names) expect(lab.counts(`mx.${name}`).refusedConnections).toBe(0);
});

test("an identity with an owner is paced in memory: the only lease is that on the identity itself", async () => {
  const names = shops(2);
  await using lab = await labWith(names);
  await using database = await openTestDatabase();
  const path = egressFile({ owner: "worker-1" }, { owner: "worker-2" });
  await using first = await startPacing(database.connection, ["one"]);
  await using second = await startPacing(database.connection, ["two"]);
  await expect.poll(() => first.isOwned("one") && second.isOwned("two")).toBe(true);
  // From here on no session can get a lease.
  await database.pool.query("alter table host_leases add check (key like 'identity %')");
  await Promise.all([
    work(lab, first, { path, processName: "worker-1" }, names),
    work(lab, second, { path, processName: "worker-2", first: PEOPLE }, names),
  ]);
  expect(await leaseKeys(database)).toEqual(["identity one", "identity two"]);
  for (const client of [ONE, TWO]) expect(seenOf(lab, names, client).atOnce).toBe(CAP);
});

test("of two processes with the name of the owner one has the identity, and the other takes over when it ends", async () => {
  await using lab = await labWith(["shop0.test", "shop1.test"]);
  await using database = await openTestDatabase();
  const path = egressFile({ owner: "worker-1" });
  const first = await startPacing(database.connection, ["one"]);
  await expect.poll(() => first.isOwned("one")).toBe(true);
  await using second = await startPacing(database.connection, ["one"]);
  await work(lab, second, { path }, ["shop0.test"]); // with the shared identity alone
  expect(second.isOwned("one")).toBe(false);
  expect(seenOf(lab, ["shop0.test"], ONE).connections).toBe(0);
  expect(seenOf(lab, ["shop0.test"], TWO).connections).toBeGreaterThan(0);
  await first.close();
  await expect.poll(() => second.isOwned("one")).toBe(true);
  expect(second.events).toContainEqual({ event: "egress_identity_acquired", identity: "one" });
  await work(lab, second, { path }, ["shop1.test"]);
  expect(seenOf(lab, ["shop1.test"], ONE).connections).toBeGreaterThan(0);
});

test("a lease on an identity that another process has taken is noticed, and the identity is not used", async () => {
  await using database = await openTestDatabase();
  await using stalled = await startPacing(database.connection, ["one"]);
  await expect.poll(() => stalled.isOwned("one")).toBe(true);
  // Its heartbeat had expired, and another process was faster.
  await database.pool.query(
    "update host_leases set process_id = gen_random_uuid() where key = 'identity one'",
  );
  await expect.poll(() => stalled.isOwned("one")).toBe(false);
  expect(stalled.events).toContainEqual({ event: "egress_identity_lost", identity: "one" });
  const gate = stalled.gateFor({
    name: "one",
    owner: "worker-1",
    share: 1,
    ehloName: "one.probe.test",
    mailFrom: "probe@one.probe.test",
    isCounted: true,
  });
  expect(await gate.admit()).toMatchObject({ reason: "not_owned" });
});

test("a daily cap holds for all processes together and across restarts", async () => {
  const names = shops(30);
  await using lab = await labWith(names);
  await using database = await openTestDatabase();
  const path = egressFile({ sessions_per_day: 7, share: 1000 });
  for (const first of [0, 2 * PEOPLE]) {
    await using one = await startPacing(database.connection);
    await using other = await startPacing(database.connection);
    await Promise.all([
      work(lab, one, { path, first }, names.slice(0, 4)),
      work(lab, other, { path, first: first + PEOPLE }, names.slice(2, 6)),
    ]);
  }
  // A session that is counted may not be opened any more when the work is done.
  expect(seenOf(lab, names, ONE).connections).toBeGreaterThan(0);
  expect(seenOf(lab, names, ONE).connections).toBeLessThanOrEqual(7);
  expect(seenOf(lab, names, TWO).connections).toBeGreaterThan(0);
});

testOnOneDay("the operator sees each identity with its use today and where it is blocked", async () => {
  const blocks = {
    on: {
      banner: ({ client }: { client: string }) =>
        client === ONE ? { reply: "554 5.7.1 blocked using zen.spamhaus.org" } : undefined,
    },
  };
  const names = shops(6);
  const world = Object.fromEntries(
    names.map((name) => [name, mailDomain({ users: ["ann"], temper: blocks })]),
  );
  await using lab = await openLab(world);
  const EGRESS_FILE = egressFile({ share: 1000, sessions_per_day: 500 }, { providers: undefined });
  await using service = await openService({ lab, env: { EGRESS_FILE } });
  const { key } = await service.openAccount({ plan: "payg", credits: 100 });
  for (let round = 0; round < 3; round++) {
    for (const name of names.slice(0, 2)) {
      const { body } = await service.ask("/validation/single", {
        method: "POST",
        key,
        body: { email: `ann${round === 0 ? "" : round}@${name}` },
      });
      expect(body.sub_status).toBe(round === 0 ? "" : "mailbox_not_found");
      // Otherwise the next round would use the session of the second identity.
      await expect.poll(() => lab.counts(`mx.${name}`).openConnections).toBe(0);
    }
  }
  const cookie = await service.operatorCookie();
  const report = async () => (await service.ask("/operator/system", { cookie })).body;
  await expect.poll(async () => (await report()).identities[0].open_breakers).toBe(2);
  const { identities, pacing } = await report();
  expect(identities[0]).toEqual({
    name: "one",
    origin: ONE,
    ehlo_name: "one.probe.test",
    mail_from: "postmaster@one.probe.test",
    providers: null,
    share: 1000,
    owner: null,
    sessions_today: 6,
    sessions_per_day: 500,
    is_down: false,
    throttled: 2,
    open_breakers: 2,
    blocked_at: ["mx.shop0.test", "mx.shop1.test"],
  });
  expect(identities[1]).toMatchObject({ name: "two", origin: TWO, open_breakers: 0, blocked_at: [] });
  expect(pacing[0]).toMatchObject({ key: "mx.shop0.test", identity: "one" });
  await expect.poll(async () => (await report()).identities[1].sessions_today).toBeGreaterThan(0);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toContain('mailvet_egress_sessions_today{identity="one"} 6');
});
