import { expect, test } from "vitest";
import { displayedFilename } from "./displayed-filename.ts";

test.each([
  ["list.csv", "list.csv"],
  ["  Kunden März (2).csv ", "Kunden März (2).csv"],
  ["../../etc/passwd", "passwd"],
  ["C:\\Users\\ann\\list.csv", "list.csv"],
  ["a\u0000b\r\nc\u001b[31m.csv", "abc[31m.csv"],
  ["list\u202evsc.exe", "listvsc.exe"],
  ["", "upload.csv"],
  [undefined, "upload.csv"],
  ["..", "upload.csv"],
  ["folder/", "upload.csv"],
])("%j is displayed as %j", (sent, shown) => {
  expect(displayedFilename(sent)).toBe(shown);
});

test("a long name is truncated between characters", () => {
  expect(displayedFilename("😀".repeat(300))).toBe("😀".repeat(255));
});
