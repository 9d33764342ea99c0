/** Without a known mailbox, the decoy of a batch must be behind all its targets: its refusal counts before those after it. */
import { mailDomain } from "@mailvet/lab";
import { expect, test } from "vitest";
import { decide } from "../../src/verdict.ts";
import { manyAt, openStory } from "./story.ts";

const isUser = ({ localPart }: { localPart: string }) => /^anna\d/.test(localPart);

test.each([
  ["all of a list", false, ["eve1", "eve2", "eve3"]],
  ["one of a single check, two of a list", true, ["eve1", "eve2", "eve3"]],
  ["one with SMTPUTF8", false, ["jörg", "eve2", "eve3"]],
])("three dead addresses of a new domain teach no limit of recipients: %s", async (_, isUrgent, dead) => {
  await using story = await openStory({ "shop.test": mailDomain({ users: isUser }) }, { idleSessionMs: 0 });
  const first = story.verify(`${dead[0]}@shop.test`, "smtp", { isUrgent });
  const others = dead.slice(1).map((name) => story.verify(`${name}@shop.test`, "smtp"));
  const verdicts = (await Promise.all([first, ...others])).map((evidence) => decide(evidence).status);
  expect(verdicts).toEqual(["invalid", "invalid", "invalid"]);
  const { connections } = story.lab.counts("mx.shop.test");
  expect(new Set(await story.verdictsOn(manyAt("shop.test", 60)))).toEqual(new Set(["valid"]));
  await story.end();
  const all = story.lab.counts("mx.shop.test").connections;
  expect(connections).toBe(1);
  expect(all - connections).toBeLessThanOrEqual(2);
});
