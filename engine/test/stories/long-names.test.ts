/** Stories of long mailbox names: a server that knows one of forty letters knows it by heart. */
import { acceptsEveryone, mailDomain } from "@mailvet/lab";
import { expect, test } from "vitest";
import { loadNameModel } from "../../src/plausibility/name-model/name-model.ts";
import { openStory } from "./story.ts";

const LONG = ["a".repeat(64), "x".repeat(45), "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst"];
const RANDOM = "zxqvkjwptbvnmqxz";
const DIGEST = "d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e";

test("a long name that a server accepts beside a refused made-up one is not low quality for its length", async () => {
  await using story = await openStory(
    {
      "honest.test": mailDomain({ users: [...LONG, RANDOM] }),
      "open.test": mailDomain({ temper: acceptsEveryone }),
    },
    { nameModel: loadNameModel() },
  );
  const verdicts = await story.verdictsOn([...LONG, RANDOM].map((name) => `${name}@honest.test`));
  expect(verdicts).toEqual([...LONG.map(() => "valid"), "risky low_quality"]);
  expect(await story.verdictOn(`${LONG[0]}@open.test`)).toBe("risky catch_all");
});

test("what a program made is recognised at any length", async () => {
  await using story = await openStory(
    { "honest.test": mailDomain({ users: [DIGEST] }) },
    { nameModel: loadNameModel() },
  );
  expect(await story.verdictOn(`${DIGEST}@honest.test`)).toBe("risky low_quality");
});
