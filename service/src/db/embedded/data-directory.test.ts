import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { defaultDataDirectory, openDataDirectory, placesIn } from "./data-directory.ts";
import { chooseRunAsUser } from "./run-as-user.ts";

const isRoot = process.geteuid?.() === 0;
const folder = mkdtempSync(join(tmpdir(), "mailvet-data-"));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true }));

function closedDirectory(name: string): string {
  const directory = join(folder, name);
  mkdirSync(directory, { mode: isRoot ? 0o700 : 0o600 });
  return directory;
}

test("the data stand beside the service", () => {
  expect(defaultDataDirectory(folder)).toBe(join(folder, "data"));
});

test("a missing data directory is made, with the way to it, and closed to everybody else", () => {
  const user = chooseRunAsUser(folder);
  const before = process.umask(0o077);
  const { directory } = openDataDirectory(join(folder, "a/b/data"), user);
  process.umask(before);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(directory).uid).toBe(user?.uid ?? process.geteuid?.());
  if (user) expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o755);
});

test("a data directory that was there stays as it was", () => {
  const directory = join(folder, "there");
  mkdirSync(directory);
  chmodSync(directory, 0o755);
  const before = statSync(directory);
  openDataDirectory(directory, chooseRunAsUser(directory));
  expect([statSync(directory).mode, statSync(directory).uid]).toEqual([before.mode, before.uid]);
});

test("a data directory that the database's user cannot get to is refused with the ways out", () => {
  const closed = closedDirectory("closed");
  const user = chooseRunAsUser(closed);
  const words = isRoot
    ? /the user (postgres|nobody), who cannot get to .*Set DATA_DIR/
    : /closed to this user: set DATA_DIR/;
  expect(() => openDataDirectory(join(closed, "data"), user)).toThrow(words);
  expect(existsSync(join(closed, "data"))).toBe(false);
});

test.runIf(isRoot)(
  "root in a directory closed to others keeps the data where services keep them (as root)",
  () => {
    const home = closedDirectory("home");
    const place = defaultDataDirectory(home);
    expect(place).toMatch(/^\/var\/lib\/mailvet\/home-[0-9a-f]{8}$/);
    expect(defaultDataDirectory(`${home}/`)).toBe(place);
    expect(defaultDataDirectory(closedDirectory("home2"))).not.toBe(place);
  },
);

test.runIf(!isRoot)("an ordinary user's data always stand beside the service (not as root)", () => {
  expect(defaultDataDirectory(closedDirectory("home"))).toMatch(/home\/data$/);
});

test.runIf(isRoot)("a database stays with the user who made it (as root)", () => {
  const { cluster } = placesIn(join(folder, "kept"));
  mkdirSync(cluster, { recursive: true });
  expect(["postgres", "nobody"]).toContain(chooseRunAsUser(cluster)?.name);
  chownSync(cluster, 12_345, 12_346);
  expect(chooseRunAsUser(cluster)).toEqual({ name: "number 12345", uid: 12_345, gid: 12_346 });
});
