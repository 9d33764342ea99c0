import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { pathsIn } from "./data-directory.ts";
import { isPrivate, openSocketDirectory, socketIn } from "./socket-directory.ts";

const folder = mkdtempSync(join(tmpdir(), "embedded-pg-socket-"));
const elsewhere: string[] = [];
afterAll(() => {
  for (const directory of [folder, ...elsewhere]) rmSync(directory, { recursive: true, force: true });
});

test("the socket directory is in the data directory and accessible to its user only", () => {
  const directory = openSocketDirectory(pathsIn(folder), undefined);
  expect(directory).toBe(join(folder, "run"));
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(openSocketDirectory(pathsIn(folder), undefined)).toBe(directory);
});

test("a data directory too deep for a socket gets a short private socket directory, the same every time", () => {
  const paths = pathsIn(join(folder, "é".repeat(50)));
  const directory = openSocketDirectory(paths, undefined);
  elsewhere.push(directory);
  expect(Buffer.byteLength(socketIn(directory))).toBeLessThan(104);
  expect(isPrivate(directory, undefined)).toBe(true);
  expect(openSocketDirectory(paths, undefined)).toBe(directory);
});

test("a directory accessible to another user, or planted by one, is refused", () => {
  const paths = pathsIn(join(folder, "x".repeat(110)));
  const directory = openSocketDirectory(paths, undefined);
  elsewhere.push(directory);
  chmodSync(directory, 0o755);
  expect(() => openSocketDirectory(paths, undefined)).toThrow("Remove it and start again");
  rmSync(directory, { recursive: true });
  mkdirSync(join(folder, "trap"), { mode: 0o700 });
  symlinkSync(join(folder, "trap"), directory);
  expect(() => openSocketDirectory(paths, undefined)).toThrow("Remove it and start again");
});
