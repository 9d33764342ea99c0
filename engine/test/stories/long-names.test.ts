/** Long local parts: acceptance of one with forty letters is strong evidence. */
import { acceptsEveryone, mailDomain } from "@mailvet/lab";
import { expect, test } from "vitest";
import { loadNameModel } from "../../src/plausibility/name-model/name-model.ts";
import { openStory } from "./story.ts";

const LONG = ["a".repeat(64), "x".repeat(45), "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst"];
const RANDOM = "zxqvkjwptbvnmqxz";
const DIGEST = "d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e";

test("a long name accepted by a server that rejects the decoy is not low_quality for its length", async () => {
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

test("a generated name is recognised at any length", async () => {
  await using story = await openStory(
    { "honest.test": mailDomain({ users: [DIGEST] }) },
    { nameModel: loadNameModel() },
  );
  expect(await story.verdictOn(`${DIGEST}@honest.test`)).toBe("risky low_quality");
});
