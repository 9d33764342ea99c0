import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { openLineFile } from "./temp-file.ts";

test("lines are found where they were put, also while more are added", () => {
  using file = openLineFile();
  const lines = Array.from({ length: 20_000 }, (_, n) => `${n} ${"é".repeat(n % 90)}`);
  lines[777] = "x".repeat(300_000); // longer than what is read at once
  const places: number[] = [];
  for (const [n, line] of lines.entries()) {
    places.push(file.append(line));
    if (n % 500 === 0) expect(file.lineAt(places[n]!)).toBe(line);
  }
  for (let n = lines.length - 1; n >= 0; n -= 7) expect(file.lineAt(places[n]!)).toBe(lines[n]);
  expect([...file.lines()]).toEqual(lines);
});

test("there is no file for others to see", () => {
  const before = readdirSync(tmpdir());
  using file = openLineFile();
  file.append("an email of somebody");
  const added = readdirSync(tmpdir()).filter((name) => !before.includes(name));
  expect(added.filter((name) => /^mailvet-[0-9a-f]{24}$/.test(name))).toEqual([]);
});
