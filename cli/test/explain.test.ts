/** mailvet explain as a program: the card must not contradict itself. */
import { expect, test } from "vitest";
import { mailvet } from "./command.ts";

test.for([
  [["550 banana"], ["no reason given: treat the mailbox as unknown"]],
  [[""], ["only the text was interpreted", "give the whole reply"]],
  [["User unknown"], ["mailbox_not_found", "only the text was interpreted", "treat the mailbox as unknown"]],
  [["252 maybe"], ["treat the mailbox as unknown"]],
  [
    ["--stage", "banner", "220 hello"],
    ["reply to BANNER", "continue with the next command"],
  ],
] as const)("%j is explained", async ([args, sentences]) => {
  const { code, stdout } = await mailvet(["explain", ...args]);
  expect(code).toBe(0);
  for (const sentence of sentences) expect(stdout).toContain(sentence);
});

test("a complete reply is explained without notes on missing parts", async () => {
  const { stdout } = await mailvet(["explain", "550 5.1.1 User unknown"]);
  expect(stdout).toContain("do not send; the mailbox does not exist");
  expect(stdout).not.toContain("reply code");
});

test("- reads a reply from standard input, with its line breaks", async () => {
  const { code, stdout } = await mailvet(["explain", "--stage", "mail", "-"], {
    input: "550-5.1.1 No such\r\n550 5.1.1 user here\r\n",
  });
  const { stdout: asArgument } = await mailvet([
    "explain",
    "--stage",
    "mail",
    "550-5.1.1 No such\\n550 5.1.1 user here",
  ]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: asArgument });
});
