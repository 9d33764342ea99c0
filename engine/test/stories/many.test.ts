/** Long lists: one result each, few connections, bounded concurrency. */
import { type MailWorld, mailDomain, mailHost } from "@mailvet/lab";
import { expect, test } from "vitest";
import { decide } from "../../src/verdict.ts";
import { NO_VIOLATIONS, openStory, violationsAt } from "./story.ts";

const HOSTS = 10;
const DOMAINS = 30;
const ADDRESSES_PER_DOMAIN = 100;
const WIDTH = 600;
const MEBIBYTE = 1024 * 1024;

const hostOf = (domain: number) => `mx${domain % HOSTS}.host.test`;

/** Every fourth mailbox does not exist. */
function world(): MailWorld {
  const all: MailWorld = {};
  for (let i = 0; i < HOSTS; i++) all[`mx${i}.host.test`] = mailHost();
  for (let i = 0; i < DOMAINS; i++) {
    all[`shop${i}.test`] = mailDomain({
      mx: [hostOf(i)],
      users: ({ localPart }) => localPart.startsWith("anna") && Number(localPart.slice(4)) % 4 !== 0,
    });
  }
  return all;
}

test("3,000 addresses at 30 domains: one result each, few connections, bounded memory, no reading ahead", async () => {
  await using story = await openStory(world());
  let read = 0;
  let given = 0;
  let furthestAhead = 0;
  async function* list() {
    for (let j = 0; j < ADDRESSES_PER_DOMAIN; j++) {
      for (let i = 0; i < DOMAINS; i++) {
        furthestAhead = Math.max(furthestAhead, ++read - given);
        yield `anna${j}@shop${i}.test`;
      }
    }
  }

  const results = new Map<string, string>();
  let peakBytes = 0;
  const idleBytes = process.memoryUsage().rss;
  for await (const evidence of story.verifyMany(list(), "smtp", WIDTH)) {
    given++;
    expect(results.has(evidence.email)).toBe(false);
    results.set(evidence.email, decide(evidence).subStatus);
    if (given % 100 === 0) peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
  }
  await story.end();

  expect(results.size).toBe(DOMAINS * ADDRESSES_PER_DOMAIN);
  for (const [email, subStatus] of results) {
    const isUser = Number(/\d+/.exec(email)?.[0]) % 4 !== 0;
    expect(subStatus, email).toBe(isUser ? "" : "mailbox_not_found");
  }
  expect(furthestAhead).toBeLessThanOrEqual(WIDTH + 1);
  expect(peakBytes - idleBytes).toBeLessThan(128 * MEBIBYTE); // includes the lab's servers

  let connections = 0;
  let recipients = 0;
  for (let i = 0; i < HOSTS; i++) {
    connections += story.lab.counts(`mx${i}.host.test`).connections;
    recipients += story.lab.counts(`mx${i}.host.test`).commands.RCPT ?? 0;
    expect(await violationsAt(story, `mx${i}.host.test`)).toEqual(NO_VIOLATIONS);
  }
  // Each once, one decoy per domain, and an accepted recipient again after a batch, to verify that the host still accepts.
  expect(recipients).toBeGreaterThanOrEqual(DOMAINS * ADDRESSES_PER_DOMAIN + DOMAINS);
  expect(recipients).toBeLessThanOrEqual(DOMAINS * ADDRESSES_PER_DOMAIN + DOMAINS * 3 + 3 * connections);
  expect(connections).toBeLessThan(200); // 750 are rejected, and a session ends after nine rejections
});

test("a consumer that stops early gets no more results, and the list is not read on", async () => {
  await using story = await openStory(world());
  let read = 0;
  function* list() {
    for (;;) yield `anna${read++}@shop${read % DOMAINS}.test`;
  }
  let given = 0;
  for await (const _ of story.verifyMany(list(), "smtp", 20)) if (++given === 30) break;
  expect(given).toBe(30);
  expect(read).toBeLessThanOrEqual(30 + 20 + 1);
});
