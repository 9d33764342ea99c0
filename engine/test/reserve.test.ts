/** Sessions in reserve are for interactive requests, and not for what a list has at the same host. */
import { mailDomain, noPipelining } from "@mailvet/lab";
import { expect, test } from "vitest";
import { manyAt, openStory } from "./stories/story.ts";
import { until } from "./until.ts";

test("a session of the reserve does not go on with a list while others wait", async () => {
  const users = ({ localPart }: { localPart: string }) => /^anna\d/.test(localPart);
  const busy = mailDomain({ users, temper: noPipelining, latencyMs: 40 });
  const world = { "one.test": busy, "two.test": busy, "shop.test": mailDomain({ users: ["ann"] }) };
  await using story = await openStory(world, { sessionLimits: { working: 1, open: 10 } });
  const asked = (domain: string) => story.lab.counts(`mx.${domain}`).commands.RCPT ?? 0;
  const list = (domain: string) => manyAt(domain, 300).map((email) => story.begin(email, "smtp"));

  const one = list("one.test");
  await until(() => asked("one.test") > 0); // has the only session that is not reserved
  const two = list("two.test");
  await until(() => two.every(({ evidence }) => evidence.route !== undefined));
  expect(asked("two.test")).toBe(0);
  two[0]!.raisePriority(); // takes the reserve
  await until(() => asked("two.test") > 0);

  const { mailbox } = await story.verify("ann@shop.test", "smtp", { isUrgent: true });
  expect(mailbox?.answer).toBe("accepted");
  const isOpen = ({ evidence }: (typeof one)[number]) => evidence.mailbox === undefined;
  expect([one.some(isOpen), two.some(isOpen)]).toEqual([true, true]); // it waited for neither of them
});
