/** The verdicts of all replies of the corpus. */
import { expect, test } from "vitest";
import { VERDICT_CORPUS } from "./corpus/corpus.ts";
import { replay } from "./replay/replay.ts";
import { emptyScore, scoreRow } from "./replay/score.ts";

test("every reply of the corpus gives a verdict that its label allows", { timeout: 120_000 }, () => {
  const score = emptyScore();
  for (const row of VERDICT_CORPUS) scoreRow(score, row, replay(row));
  console.table(score.matrix);
  const { live, unknown } = score.matrix;
  expect({ live: live.dead, unknown: unknown.dead }, "called invalid").toEqual({ live: 0, unknown: 0 });
  expect(score.wrong).toEqual([]);
});

test("a reply may be given in parts, with its provider", () => {
  const missing = {
    stage: "rcpt",
    code: 550,
    enhanced: "5.4.1",
    text: "Recipient address rejected: Access denied",
  };
  expect(replay({ ...missing, stage: "rcpt", provider: "microsoft_365" })).toMatchObject({
    status: "invalid",
    subStatus: "mailbox_not_found",
  });
  expect(replay({ ...missing, stage: "mail", provider: "microsoft_365" }).status).toBe("unknown");
  expect(replay({ ...missing, stage: "rcpt", mx: "mail.corp.example" }).status).toBe("unknown");
});

test("an unknown stage is an error", () => {
  expect(() => replay({ stage: "data" as never, code: 550 })).toThrow("stage is one of");
});
