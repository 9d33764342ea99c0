/** What the service remembers of mail hosts over a restart, and for how long. */
import { mailDomain, openLab } from "@mailvet/lab";
import { expect, test, vi } from "vitest";
import { openHostMemoryStore } from "../src/pacing/host-memory-store.ts";
import { openTestDatabase } from "./database.ts";
import { recordEvents } from "./logged-events.ts";
import { PATIENCE } from "./patience.ts";
import { openService } from "./service.ts";

test("a restarted service knows how many unknown users a server has counted, and believes no further refusal", async () => {
  let refusesEverybody = false;
  const domain = mailDomain({
    users: ["ann"],
    temper: { on: { rcpt: () => (refusesEverybody ? { reply: "550 5.1.1 User unknown" } : undefined) } },
  });
  await using lab = await openLab({ "shop.example-lab.com": domain });
  await using database = await openTestDatabase();
  let key: string | undefined;
  const verdictsOn = async (names: readonly string[]) => {
    await using service = await openService({ lab, database });
    key ??= (await service.openAccount()).key;
    const found: string[] = [];
    for (const name of names) {
      const path = `/validation/single?email=${name}@shop.example-lab.com`;
      const { body } = await service.ask(path, { key });
      found.push(`${body.status} ${body.sub_status}`);
    }
    return found;
  };
  const [first, ...others] = await verdictsOn(["eve1", "eve2", "eve3", "eve4"]);
  expect([first, others.at(-1)]).toEqual(["invalid mailbox_not_found", "unknown server_untrusted"]);
  refusesEverybody = true;
  expect(await verdictsOn(["ann"])).toEqual(["unknown server_untrusted"]); // she is alive
});

test("changes are written while the process runs, and read by the next for a day", async () => {
  await using database = await openTestDatabase();
  const { events, log } = recordEvents();
  const open = () => openHostMemoryStore({ pool: database.pool, log });
  const memory = (refusals: number) => ({
    refusedAtMs: Array<number>(refusals).fill(Date.now()),
    firstRefusals: refusals,
    refusedInARow: refusals,
    isDoubted: false,
    hasFailed: false,
  });
  const entry = (host: string, refusals: number) => ({ identity: "one", host, stored: memory(refusals) });
  const rowsOf = async (host: string) =>
    (await database.pool.query("select memory from host_memories where host = $1", [host])).rows;

  const first = await open();
  first.hostMemories.record(entry("old.test", 2));
  first.hostMemories.record(entry("done.test", 2));
  first.hostMemories.record(entry("mx.test", 2));
  first.hostMemories.record(entry("mx.test", 3));
  await vi.waitFor(
    async () => expect(await rowsOf("mx.test")).toMatchObject([{ memory: { firstRefusals: 3 } }]),
    PATIENCE,
  );
  first.hostMemories.record(entry("mx.test", 4));
  first.hostMemories.record({ identity: "one", host: "done.test", stored: undefined });
  await first.close();
  await database.pool.query(
    "update host_memories set changed_at = changed_at - interval '25 hours' where host = 'old.test'",
  );

  const second = await open();
  expect(second.hostMemories.entries).toMatchObject([
    { identity: "one", host: "mx.test", stored: { firstRefusals: 4 } },
  ]);
  expect(second.hostMemories.memoryOf("one", "mx.test").refusals).toBe(4);
  expect(second.hostMemories.memoryOf("two", "mx.test").refusals).toBe(0);
  expect(await second.deleteOld()).toBe(1);
  expect(await rowsOf("old.test")).toEqual([]);
  await second.close();
  expect(events).toEqual([]);
});
