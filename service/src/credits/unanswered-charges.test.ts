import { expect, test } from "vitest";
import { createUnansweredCharges } from "./unanswered-charges.ts";

test("many batches may wait for the database, and Node takes none of them for a leak", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on("warning", onWarning);
  const isAway = () => Promise.reject(new Error("the database is away"));
  const charges = createUnansweredCharges({
    pool: { query: isAway } as never,
    writeRefund: isAway,
    splitAfterMs: 600_000,
  });
  const keys = Array.from({ length: 30 }, (_, i) => `charge ${i}`);
  for (const [i, key] of keys.entries())
    charges.addBatch({ accountId: "one", firstNumber: i, chargeKeys: [key] });
  await Promise.allSettled(keys.map((key) => charges.separate(key)));
  await new Promise(setImmediate); // warnings are emitted in the next tick
  await charges.close();
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});
