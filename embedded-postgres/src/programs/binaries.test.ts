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
import type { EmbeddedPostgresEvent } from "../events.ts";
import { chooseRunAsUser, processIdentity } from "../run-as-user.ts";
import { findPackage, impliedLinks, readyBinaries } from "./binaries.ts";

const isRoot = process.geteuid?.() === 0;
const folder = mkdtempSync(join(tmpdir(), "embedded-pg-binaries-"));
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
  const events: EmbeddedPostgresEvent[] = [];
  const onEvent = (event: EmbeddedPostgresEvent) => events.push(event);
  const binaries = readyBinaries({ packageDirectory, copyDirectory, user, onEvent });
  return { binaries, events };
}

test("a platform without binaries is refused, and another server is offered", () => {
  expect(() => findPackage("plan9", "mips")).toThrow(
    expect.objectContaining({ message: expect.stringContaining("plan9-mips"), remedies: ["other_server"] }),
  );
});

test("a package without library links is repaired in place", () => {
  const broken = spawnSync(join(packageDirectory, "native/bin/postgres"), ["--version"], {
    encoding: "utf8",
  });
  expect(broken.stderr).toContain("error while loading shared libraries");
  const { binaries, events } = ready();
  expect(binaries.postgres).toBe(join(packageDirectory, "native/bin/postgres"));
  expect(binaries.version.number).toBeGreaterThan(binaries.version.major * 10_000);
  expect(lstatSync(join(library, "libpq.so.5")).isSymbolicLink()).toBe(true);
  expect(events).toEqual([]);
});

test("a package that cannot be repaired or reached is copied once, and again when its version changes", () => {
  close();
  const { binaries, events } = ready();
  expect(events).toEqual([{ event: "binaries_copying" }]);
  expect(binaries.postgres).toBe(join(copyDirectory, "bin/postgres"));
  const run = spawnSync(binaries.initdb, ["--version"], {
    ...processIdentity(user),
    cwd: "/",
    encoding: "utf8",
  });
  expect(run.stdout).toContain("initdb (PostgreSQL)");
  expect(ready().events).toEqual([]);

  writeFileSync(join(packageDirectory, "package.json"), JSON.stringify({ version: "99.0.0" }));
  rmSync(join(copyDirectory, "bin/initdb"));
  expect(ready().events).toHaveLength(1);
  expect(existsSync(join(copyDirectory, "bin/initdb"))).toBe(true);
  expect(statSync(copyDirectory).uid).toBe(user?.uid ?? process.geteuid?.());
});

/** As root: closes the package's parent directory. Otherwise: removes the links and the permission to create them. */
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

test("a package that does not run is refused, and leaves no copy behind", () => {
  chmodSync(library, 0o755);
  writeFileSync(join(packageDirectory, "native/bin/postgres"), "not a program");
  rmSync(join(packageDirectory, "native/share"), { recursive: true });
  rmSync(copyDirectory, { recursive: true });
  expect(ready).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("does not run here"),
      remedies: ["other_server"],
    }),
  );
  expect(existsSync(copyDirectory)).toBe(false);
});

test("libraries get the short name that programs link to, on Linux and macOS", () => {
  expect(
    impliedLinks(["libpq.so.5.18", "libicuuc.60.2.dylib", "libz.so.1", "libxml2.2.dylib", "readme.1.2"]),
  ).toEqual([
    { name: "libpq.so.5", target: "libpq.so.5.18" },
    { name: "libicuuc.60.dylib", target: "libicuuc.60.2.dylib" },
  ]);
});
