import { expect, test } from "vitest";
import { readOutcomeWord } from "./outcome-vocabulary.ts";

test.for([
  ["delivered", ["Delivered", "delivery", "sent", "open", "Clicked", "email.delivered", "2.1.5"]],
  [
    "bounced",
    ["bounce", "hard_bounce", "HardBounce", "Hard Bounce", "bounced", "dropped", "failed", "5.1.1"],
  ],
  ["complained", ["complaint", "spam", "SpamComplaint", "spam_report", "complained"]],
  [
    "soft_bounce",
    ["soft_bounce", "SoftBounce", "Transient", "deferred", "blocked", "4.2.2", "5.2.2", "5.7.1"],
  ],
  ["other_event", ["processed", "queued", "unsubscribed"]],
] as const)("words of mail services for %s", ([meaning, words]) => {
  for (const word of words) expect(readOutcomeWord(word), word).toBe(meaning);
});

test.for(["", "   ", "banana", "5.1", "550", "x".repeat(5_000), undefined])(
  "%s is not an outcome",
  (word) => {
    expect(readOutcomeWord(word)).toBeUndefined();
  },
);
