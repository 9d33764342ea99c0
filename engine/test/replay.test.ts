/** The verdicts of all replies of the corpus. */
import { expect, test } from "vitest";
import { type Truth, VERDICT_CORPUS } from "./corpus/corpus.ts";
import { type Replayed, replay } from "./replay/replay.ts";

const TRUTHS: readonly Truth[] = ["live", "dead", "unknown"];

function saidOf({ status }: Replayed): Truth {
  if (status === "invalid") return "dead";
  return status === "unknown" ? "unknown" : "live";
}

test("every reply of the corpus gives a verdict that its label allows", { timeout: 120_000 }, () => {
  const matrix = Object.fromEntries(TRUTHS.map((truth) => [truth, { live: 0, dead: 0, unknown: 0 }]));
  const wrong: string[] = [];
  for (const row of VERDICT_CORPUS) {
    const { truth } = row;
    const replayed = replay(row);
    const said = saidOf(replayed);
    matrix[truth]![said]++;
    if (said !== truth) wrong.push(`${truth}, called ${said} by ${replayed.rule}: ${row.stage} ${row.reply}`);
  }
  console.table(matrix);
  expect({ live: matrix.live!.dead, unknown: matrix.unknown!.dead }, "called invalid").toEqual({
    live: 0,
    unknown: 0,
  });
  expect(wrong).toEqual([]);
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
