import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openLineFile } from "./temp-file.ts";

test("every line can be read at its offset while more lines are appended", () => {
  using file = openLineFile();
  const lines = Array.from({ length: 20_000 }, (_, n) => `${n} ${"é".repeat(n % 90)}`);
  lines[777] = "x".repeat(300_000); // longer than a block
  const places: number[] = [];
  for (const [n, line] of lines.entries()) {
    places.push(file.append(line));
    if (n % 500 === 0) expect(file.lineAt(places[n]!)).toBe(line);
  }
  for (let n = lines.length - 1; n >= 0; n -= 7) expect(file.lineAt(places[n]!)).toBe(lines[n]);
  expect([...file.lines()]).toEqual(lines);
});

test("the file has no name in the temporary directory", () => {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-temp-file-"));
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  using file = openLineFile();
  file.append("ann@shop.io");
  expect(readdirSync(folder)).toEqual([]);
});
