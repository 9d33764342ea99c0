import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { defaultDataDirectory, openDataDirectory, pathsIn } from "./data-directory.ts";
import { chooseRunAsUser } from "./run-as-user.ts";

const isRoot = process.geteuid?.() === 0;
const folder = mkdtempSync(join(tmpdir(), "embedded-pg-data-"));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true }));

function closedDirectory(name: string): string {
  const directory = join(folder, name);
  mkdirSync(directory, { mode: isRoot ? 0o700 : 0o600 });
  return directory;
}

test("the default data directory is beside the service", () => {
  expect(defaultDataDirectory(folder, "/var/lib/app")).toBe(join(folder, "data"));
});

test("a missing data directory is created with its parents, and closed to other users", () => {
  const user = chooseRunAsUser(folder);
  const before = process.umask(0o077);
  const { directory } = openDataDirectory(join(folder, "a/b/data"), user);
  process.umask(before);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(directory).uid).toBe(user?.uid ?? process.geteuid?.());
  if (user) expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o755);
});

test("an existing data directory keeps its mode and owner", () => {
  const directory = join(folder, "there");
  mkdirSync(directory);
  chmodSync(directory, 0o755);
  const before = statSync(directory);
  openDataDirectory(directory, chooseRunAsUser(directory));
  expect([statSync(directory).mode, statSync(directory).uid]).toEqual([before.mode, before.uid]);
});

test("a data directory without access for the database's user is refused, and remedies are offered", () => {
  const closed = closedDirectory("closed");
  const user = chooseRunAsUser(closed);
  expect(() => openDataDirectory(join(closed, "data"), user)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        isRoot ? /the user (postgres|nobody), who has no access/ : /This user has no access/,
      ),
      remedies: isRoot ? ["other_directory", "other_user"] : ["other_directory"],
    }),
  );
  expect(existsSync(join(closed, "data"))).toBe(false);
});

test.runIf(isRoot)("root in a directory closed to others uses the system directory (as root)", () => {
  const home = closedDirectory("home");
  const place = defaultDataDirectory(home, "/var/lib/app");
  expect(place).toMatch(/^\/var\/lib\/app\/home-[0-9a-f]{8}$/);
  expect(defaultDataDirectory(`${home}/`, "/var/lib/app")).toBe(place);
  expect(defaultDataDirectory(closedDirectory("home2"), "/var/lib/app")).not.toBe(place);
});

test.runIf(!isRoot)("an ordinary user's data directory is in the working directory (not as root)", () => {
  expect(defaultDataDirectory(closedDirectory("home"), "/var/lib/app")).toMatch(/home\/data$/);
});

test.runIf(isRoot)("a database stays with the user who made it (as root)", () => {
  const { cluster } = pathsIn(join(folder, "kept"));
  mkdirSync(cluster, { recursive: true });
  expect(["postgres", "nobody"]).toContain(chooseRunAsUser(cluster)?.name);
  chownSync(cluster, 12_345, 12_346);
  expect(chooseRunAsUser(cluster)).toEqual({ name: "uid 12345", uid: 12_345, gid: 12_346 });
});
