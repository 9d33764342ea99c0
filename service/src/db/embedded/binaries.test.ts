import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findPackage, impliedLinks, readyBinaries } from "./binaries.ts";
import { chooseRunAsUser, processIdentity } from "./run-as-user.ts";
import { EmbeddedPostgresError } from "./trouble.ts";

const isRoot = process.geteuid?.() === 0;
const folder = mkdtempSync(join(tmpdir(), "mailvet-binaries-"));
chmodSync(folder, 0o755);
const user = chooseRunAsUser(join(folder, "nothing yet"));
const packageDirectory = join(folder, "closed", "package");
const library = join(packageDirectory, "native", "lib");
const copyDirectory = join(folder, "copy");

/** The package as npm unpacks it when install scripts are blocked: without its links. */
beforeAll(() => {
  mkdirSync(join(folder, "closed"));
  cpSync(findPackage(), packageDirectory, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !lstatSync(path).isSymbolicLink(),
  });
});
afterAll(() => {
  chmodSync(library, 0o755);
  rmSync(folder, { recursive: true });
});

function ready() {
  const said: string[] = [];
  const binaries = readyBinaries({ packageDirectory, copyDirectory, user, say: (text) => said.push(text) });
  return { binaries, said };
}

test("a platform without binaries is told to set DATABASE_URL", () => {
  expect(() => findPackage("plan9", "mips")).toThrow(EmbeddedPostgresError);
  expect(() => findPackage("plan9", "mips")).toThrow(/plan9-mips.*DATABASE_URL/);
});

test("a package whose links were not made is mended where it stands", () => {
  const broken = spawnSync(join(packageDirectory, "native/bin/postgres"), ["--version"], {
    encoding: "utf8",
  });
  expect(broken.stderr).toContain("error while loading shared libraries");
  const { binaries, said } = ready();
  expect(binaries.postgres).toBe(join(packageDirectory, "native/bin/postgres"));
  expect(binaries.version.number).toBeGreaterThan(binaries.version.major * 10_000);
  expect(lstatSync(join(library, "libpq.so.5")).isSymbolicLink()).toBe(true);
  expect(said).toEqual([]);
});

test("a package that cannot be mended or reached is copied once, and again when its version changes", () => {
  close();
  const { binaries, said } = ready();
  expect(said).toHaveLength(1);
  expect(binaries.postgres).toBe(join(copyDirectory, "bin/postgres"));
  const run = spawnSync(binaries.initdb, ["--version"], {
    ...processIdentity(user),
    cwd: "/",
    encoding: "utf8",
  });
  expect(run.stdout).toContain("initdb (PostgreSQL)");
  expect(ready().said).toEqual([]);

  writeFileSync(join(packageDirectory, "package.json"), JSON.stringify({ version: "99.0.0" }));
  rmSync(join(copyDirectory, "bin/initdb"));
  expect(ready().said).toHaveLength(1);
  expect(existsSync(join(copyDirectory, "bin/initdb"))).toBe(true);
  expect(statSync(copyDirectory).uid).toBe(user?.uid ?? process.geteuid?.());
});

/** As root by closing the way to the package for others; as somebody else by taking the links and the right to make them. */
function close(): void {
  if (isRoot) {
    chmodSync(join(folder, "closed"), 0o700);
    return;
  }
  for (const name of readdirSync(library)) {
    if (lstatSync(join(library, name)).isSymbolicLink()) rmSync(join(library, name));
  }
  chmodSync(library, 0o555);
}

test("a package that does not run here says so, and leaves no copy behind", () => {
  chmodSync(library, 0o755);
  writeFileSync(join(packageDirectory, "native/bin/postgres"), "not a program");
  rmSync(join(packageDirectory, "native/share"), { recursive: true });
  rmSync(copyDirectory, { recursive: true });
  expect(ready).toThrow(/does not run here.*DATABASE_URL/);
  expect(existsSync(copyDirectory)).toBe(false);
});

test("libraries get the short name that programs ask for, on Linux and macOS", () => {
  expect(
    impliedLinks(["libpq.so.5.18", "libicuuc.60.2.dylib", "libz.so.1", "libxml2.2.dylib", "readme.1.2"]),
  ).toEqual([
    { name: "libpq.so.5", target: "libpq.so.5.18" },
    { name: "libicuuc.60.dylib", target: "libicuuc.60.2.dylib" },
  ]);
});
