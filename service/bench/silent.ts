/**
 * Whether a list of addresses at silent hosts holds up other work: single checks, and a small list of another account,
 * alone and beside it. Once with mail hosts that accept connections and say nothing, once with domains whose name servers
 * say nothing. Also the time and the memory that the silent list takes.
 *
 *   npm run bench:silent [addresses]
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Job } from "@mailvet/contract";
import { type MailWorld, mailDomain, openLab, saysNothing, silent } from "@mailvet/lab";
import { OPERATOR_ENV, openAccount, startBenchService } from "./bench-service.ts";
import { ask, confirmList, runList, uploadList } from "./list-run.ts";
import { peakOf } from "./process-figures.ts";

const ADDRESSES = Number(process.argv[2] ?? 4000);
const SINGLE_CHECKS = 20;
const SMALL_LIST = 20;
/** Until as many sessions, or lookups, as there may be are waiting. */
const HEAD_START_MS = 3000;
const SILENCE_LASTS_MS = 60_000;

const world: MailWorld = {};
/** For the other work, each used once: names and hosts that are known already would not wait. */
const shops = Array.from({ length: 6 * (SINGLE_CHECKS + SMALL_LIST) }, (_, i) => `shop${i}.test`);
for (const shop of shops) world[shop] = mailDomain({ users: ["ann"], latencyMs: 40 });
for (let i = 0; i < ADDRESSES; i++) {
  world[`host${i}.test`] = mailDomain({ users: ["ann"], temper: saysNothing({ at: "banner" }) });
  world[`name${i}.test`] = { answers: silent };
}
await using lab = await openLab(world);
for (const [kind, what] of [
  ["host", "mail hosts"],
  ["name", "name servers"],
] as const) {
  // A service each: what the first list has left in flight would be in the way of the second.
  await using service = await startBenchService({
    ...lab.env,
    LOG_LEVEL: "error",
    ...OPERATOR_ENV,
  });
  const base = `${service.url}/api/v1`;
  const other = { base, key: await openAccount(base) };
  await otherWork(other); // warm
  const alone = await otherWork(other);
  const emails = Array.from({ length: ADDRESSES }, (_, i) => `ann@${kind}${i}.test\n`);
  const { id } = await confirmList(base, await uploadList(base, `email\n${emails.join("")}`));
  await delay(HEAD_START_MS);
  const beside = await otherWork(other);
  const soon = await retryingOf(base, id);
  await delay(SILENCE_LASTS_MS);
  const later = await retryingOf(base, id);

  console.log(`\n${ADDRESSES.toLocaleString("en")} addresses whose ${what} are silent`);
  for (const [name, of] of [
    [`${SINGLE_CHECKS} single checks, slowest`, "slowestCheckMs"],
    [`list of ${SMALL_LIST} of another account`, "listMs"],
  ] as const) {
    const ratio = (beside[of] / alone[of]).toFixed(1);
    console.log(
      `${name.padEnd(34)} alone ${alone[of].toFixed(0)} ms, beside it ${beside[of].toFixed(0)} ms: ${ratio} ×`,
    );
  }
  console.log(
    `verdicts beside it: ${beside.verdicts}; peak memory of the service ${peakOf(service.pid).toFixed(0)} MiB`,
  );
  console.log(`addresses that were given up for now: ${soon} after the other work, ${later} a minute later`);
}

/** Addresses of a job that have had a verdict, and wait for a retry. */
async function retryingOf(base: string, id: string): Promise<number> {
  const { retrying } = await ask<Job>(`${base}/bulk/jobs/${id}`);
  return Object.values(retrying).reduce((sum, count) => sum + count, 0);
}

type Other = { base: string; key: string };

async function otherWork({ base, key }: Other) {
  const list = Array.from({ length: SMALL_LIST }, () => `ann@${shops.pop()}\n`);
  const listed = runList(base, `email\n${list.join("")}`, key);
  let slowestCheckMs = 0;
  const verdicts = new Map<string, number>();
  for (let i = 0; i < SINGLE_CHECKS; i++) {
    const startedAt = performance.now();
    const url = `${base}/validation/single?email=ann@${shops.pop()}`;
    const { status } = await ask<{ status: string }>(url, {}, key);
    slowestCheckMs = Math.max(slowestCheckMs, performance.now() - startedAt);
    verdicts.set(status, (verdicts.get(status) ?? 0) + 1);
  }
  const { job, seconds } = await listed;
  for (const status of ["valid", "unknown"] as const)
    verdicts.set(status, (verdicts.get(status) ?? 0) + job[`${status}_count`]);
  const counted = [...verdicts].map(([status, count]) => `${count} ${status}`).join(", ");
  return { slowestCheckMs, listMs: seconds * 1000, verdicts: counted };
}
