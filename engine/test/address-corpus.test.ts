import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAddress } from "../src/address/address.ts";

type Row = { email: string; class: string; valid?: true; rule?: string };

const rows = readFileSync(new URL("corpus/addresses.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

for (const name of new Set(rows.map((row) => row.class))) {
  test(`every ${name} line of the corpus is parsed as stated`, () => {
    const misread = rows
      .filter((row) => row.class === name)
      .map((row) => {
        const parsed = parseAddress(row.email);
        return {
          email: row.email,
          wanted: row.rule ?? "valid",
          got: parsed.ok ? "valid" : parsed.error.rule,
        };
      })
      .filter(({ wanted, got }) => wanted !== got);
    expect(misread).toEqual([]);
  });
}
