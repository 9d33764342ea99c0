/** Stories of mailvet explain as people see it: a card that does not contradict itself. */
import { expect, test } from "vitest";
import { mailvet } from "./command.ts";

test.for([
  [["550 banana"], ["no reason given: treat the mailbox as unknown"]],
  [[""], ["there is no reply code", "give the whole reply"]],
  [["User unknown"], ["mailbox_not_found", "there is no reply code", "treat the mailbox as unknown"]],
  [["252 maybe"], ["treat the mailbox as unknown"]],
  [
    ["--stage", "banner", "220 hello"],
    ["answer to BANNER", "go on to the next step"],
  ],
] as const)("%j is explained", async ([args, sentences]) => {
  const { code, stdout } = await mailvet(["explain", ...args]);
  expect(code).toBe(0);
  for (const sentence of sentences) expect(stdout).toContain(sentence);
});

test("a reply with a code and a reason says nothing of missing ones", async () => {
  const { stdout } = await mailvet(["explain", "550 5.1.1 User unknown"]);
  expect(stdout).toContain("stop; there is nobody to write to");
  expect(stdout).not.toContain("reply code");
});
