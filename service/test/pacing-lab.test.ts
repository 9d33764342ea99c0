/** Two processes that verify lists at the same mail hosts: what the hosts see of both. */

import { decide, readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import { mailDomain, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
import { openTestDatabase } from "./database.ts";
import { startPacing } from "./pacing-world.ts";

const DOMAINS = Array.from({ length: 12 }, (_, i) => `shop${i}.test`);
const PEOPLE = 40;
const CAP = 2;

test("two lists at the same hosts never exceed the connection limit of a host", async () => {
  const domain = mailDomain({
    users: ({ localPart }) => /^person\d/.test(localPart),
    latencyMs: 20,
    connectionCap: CAP,
  });
  await using lab = await openLab(Object.fromEntries(DOMAINS.map((name) => [name, domain])));
  await using database = await openTestDatabase();
  const settings = readEngineSettings(
    settingsFrom({
      ...lab.env,
      CONNECTIONS_PER_HOST: String(CAP),
      EHLO_NAME: "probe.test",
    }),
  );
  const work = async (first: number) => {
    await using pacing = await startPacing(database.connection);
    const verifier = verifierFrom(settings, { limiterFor: pacing.pace });
    const emails = DOMAINS.flatMap((name) =>
      Array.from({ length: PEOPLE }, (_, i) => `person${first + i}@${name}`),
    );
    const verdicts: string[] = [];
    for await (const evidence of verifier.verifyMany(emails, "smtp")) verdicts.push(decide(evidence).status);
    await verifier.close();
    // A busy machine may lose notifications for a while: slots are then found by polling.
    expect(pacing.events.filter(({ event }) => !event.startsWith("notifications_"))).toEqual([]);
    return verdicts;
  };
  const verdicts = (await Promise.all([work(0), work(PEOPLE)])).flat();
  expect(verdicts).toEqual(Array(2 * PEOPLE * DOMAINS.length).fill("valid"));
  for (const name of DOMAINS) {
    const { maxConcurrentConnections, refusedConnections } = lab.counts(`mx.${name}`);
    expect({ name, maxConcurrentConnections, refusedConnections }).toEqual({
      name,
      maxConcurrentConnections: CAP,
      refusedConnections: 0,
    });
  }
  const { rows } = await database.pool.query(
    "select key from host_leases union all select key from host_waiters",
  );
  expect(rows).toEqual([]);
});
