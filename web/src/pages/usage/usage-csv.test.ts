import { expect, test } from "vitest";
import { usageCsv } from "./usage-csv.ts";

const day = { date: "2026-11-14", valid: 3, invalid: 2, risky: 1, unknown: 0, credits_used: 6 };

test("each day and key is one row below the header", () => {
  const csv = usageCsv([{ ...day, key_id: null }], () => "Web app");
  expect(csv).toBe("date,key,valid,invalid,risky,unknown,credits_used\r\n2026-11-14,Web app,3,2,1,0,6\r\n");
});

test("a key's name is quoted and never evaluated as a formula", () => {
  const lineFor = (name: string) => usageCsv([{ ...day, key_id: "k" }], () => name).split("\r\n")[1];
  expect(lineFor('shop, "main"')).toBe('2026-11-14,"shop, ""main""",3,2,1,0,6');
  expect(lineFor("=1+1")).toBe("2026-11-14,'=1+1,3,2,1,0,6");
});
