import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadDisposables } from "../reference/disposable.ts";
import { examineListAge } from "./list-age.ts";

const madeAtMs = Date.parse(loadDisposables().origin.madeAt);
const daysLater = (days: number) => madeAtMs + days * 24 * 3600 * 1000;
const packaged = { listsDirectory: undefined, localListsFile: undefined };

function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "mailvet-list-age-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

test("a list of this month is recent, one of last quarter is not", () => {
  expect(examineListAge(packaged, daysLater(10))).toMatchObject({ outcome: "good" });
  expect(examineListAge(packaged, daysLater(90))).toMatchObject({
    outcome: "warning",
    found: expect.stringContaining("90 days old"),
    advice: expect.stringContaining("mailvet lists refresh"),
  });
});

test("an invalid line of the local list is reported with its number", () => {
  const localListsFile = join(scratchDirectory(), "own.txt");
  writeFileSync(localListsFile, "allow example.com\nforbid example.net\n");
  expect(examineListAge({ ...packaged, localListsFile }, daysLater(1))).toMatchObject({
    outcome: "warning",
    found: expect.stringContaining("line 2"),
  });
});

test("a local list that is configured but missing is bad", () => {
  const localListsFile = join(scratchDirectory(), "missing.txt");
  expect(examineListAge({ ...packaged, localListsFile }, daysLater(1))).toMatchObject({ outcome: "bad" });
});
