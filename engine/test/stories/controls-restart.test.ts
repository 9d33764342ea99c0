/** A restart in the middle of a list: the unknown users that a server has counted are still known afterwards. */
import { type MailWorld, mailDomain, mailHost, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
import { HostMemories, type HostMemoryEntry } from "../../src/smtp/throttle/host-memories.ts";
import { changes, DEAD, LIVE, shuffled } from "./controls-world.ts";
import { engineIn } from "./story.ts";

const ORDERS = 10;
const AFTER = [4, 5, 6, 7, 8, 9, 10, 11, 12];

/** As a database keeps it. */
const throughJson = (entry: HostMemoryEntry): HostMemoryEntry => JSON.parse(JSON.stringify(entry));

/** One host for each number and order. The engine of the first part of each list is closed before the second begins. */
async function restartIn(hasPostmaster: boolean, firstPart: number): Promise<void> {
  const world: MailWorld = {};
  const lists: string[][] = [];
  for (const after of AFTER)
    for (let seed = 0; seed < ORDERS; seed++) {
      const domain = `shop${after}-${seed}.test`;
      const temper = changes("over sessions", { after, to: "refuses" });
      world[`mx.${domain}`] = mailHost({ temper });
      const users = [...LIVE, ...(hasPostmaster ? ["postmaster"] : [])];
      world[domain] = mailDomain({ mx: [`mx.${domain}`], users });
      const emails = [...LIVE, ...DEAD].map((name) => `${name}@${domain}`);
      lists.push(shuffled(emails, seed));
    }
  await using lab = await openLab(world);
  const memories = new HostMemories();
  const first = engineIn(lab, { hostMemories: memories });
  await Promise.all(lists.map((emails) => first.verdictsOn(emails.slice(0, firstPart)))); // a live one called invalid throws
  await first.end();
  const second = engineIn(lab, { hostMemories: new HostMemories(memories.entries.map(throughJson)) });
  const verdicts = await Promise.all(lists.map((emails) => second.verdictsOn(emails.slice(firstPart))));
  await second.end();
  expect(new Set(verdicts.flat())).toContain("valid");
}

for (const hasPostmaster of [true, false])
  for (const firstPart of [2, 4, 8, 12]) {
    const postmaster = hasPostmaster ? "with" : "without";
    test(`a restart after ${firstPart} addresses, ${postmaster} postmaster@: no live mailbox is called invalid`, () =>
      restartIn(hasPostmaster, firstPart));
  }
