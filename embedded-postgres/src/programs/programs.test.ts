import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findPackage, packagedVersion } from "./binaries.ts";
import { choosePrograms, type ProgramsOptions } from "./programs.ts";
import { CURRENT_RELEASES, releasesBehind, versionOf, versionText } from "./releases.ts";

const folder = mkdtempSync(join(tmpdir(), "embedded-pg-programs-"));
afterAll(() => rmSync(folder, { recursive: true }));

const packaged = packagedVersion(findPackage());
const current = (major: number) => `${major}.${CURRENT_RELEASES.minors[major]}`;

/** A directory with programs that only tell their version. */
function installed(version: string): string {
  const directory = mkdtempSync(join(folder, "bin-"));
  for (const program of ["postgres", "initdb"]) {
    const file = join(directory, program);
    writeFileSync(file, `#!/bin/sh\necho '${program} (PostgreSQL) ${version} (Debian ${version}-1)'\n`);
    chmodSync(file, 0o755);
  }
  return directory;
}

function clusterOf(major?: number): string {
  const cluster = mkdtempSync(join(folder, "cluster-"));
  if (major !== undefined) writeFileSync(join(cluster, "PG_VERSION"), `${major}\n`);
  return cluster;
}

function chosen(options: Partial<ProgramsOptions> & { system?: string[] }): string {
  const { system = [], ...others } = options;
  const systemDirectories = () => system.map(installed);
  const programs = choosePrograms({
    cluster: clusterOf(),
    binDirectory: undefined,
    user: undefined,
    systemDirectories,
    ...others,
  });
  return "binaries" in programs ? versionText(programs.binaries.version) : "package";
}

test("a version is as many security releases behind as its major has had since", () => {
  const minor = CURRENT_RELEASES.minors[17]!;
  const behind = (version: number) => releasesBehind(versionOf(version));
  expect([17_0000 + minor + 1, 17_0000 + minor, 17_0000 + minor - 2].map(behind)).toEqual([-1, 0, 2]);
  expect(behind(13_0023)).toBeUndefined();
  expect(releasesBehind(packaged)).toBeGreaterThanOrEqual(0);
});

test("a new database is created by the PostgreSQL that lacks the fewest security releases", () => {
  const old = `15.${CURRENT_RELEASES.minors[15]! - 9}`;
  expect(chosen({ system: [old, current(17)] })).toBe(current(17));
  expect(chosen({ system: [old] })).toBe("package");
  expect(chosen({ system: ["13.99", "99.1"] })).toBe("package"); // of majors without fixes, or unknown here
});

test("releases after the table was written count too", () => {
  const later = `17.${CURRENT_RELEASES.minors[17]! + 1}`;
  expect(chosen({ system: [current(18), later] })).toBe(later);
  expect(chosen({ cluster: clusterOf(17), system: [current(17), later] })).toBe(later);
});

test("of two that are equally new npm's is used", () => {
  const behind = releasesBehind(packaged)!;
  expect(chosen({ system: [`17.${CURRENT_RELEASES.minors[17]! - behind}`] })).toBe("package");
});

test("an existing database is opened by its own major only, the newest of it", () => {
  expect(chosen({ cluster: clusterOf(packaged.major), system: [current(17)] })).toBe("package");
  expect(chosen({ cluster: clusterOf(16), system: ["16.3", current(16), current(17)] })).toBe(current(16));
  expect(() => chosen({ cluster: clusterOf(16), system: [current(17)] })).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(
        `was created by PostgreSQL 16, and only ${versionText(packaged)} and ${current(17)} are here`,
      ),
      remedies: ["same_version", "move_data"],
    }),
  );
});

test("named programs are used whatever else is there, but not for a database of another major", () => {
  const binDirectory = installed("15.1");
  expect(chosen({ binDirectory, system: [current(17)] })).toBe("15.1");
  expect(chosen({ binDirectory, cluster: clusterOf(15) })).toBe("15.1");
  expect(() => chosen({ binDirectory, cluster: clusterOf(packaged.major) })).toThrow("only 15.1 is here");
});

test("named programs of a major without security fixes are refused", () => {
  expect(() => chosen({ binDirectory: installed("14.20") })).toThrow("PostgreSQL 15 or newer is needed");
});

test("a directory without programs of PostgreSQL is refused", () => {
  const empty = mkdtempSync(join(folder, "empty-"));
  mkdirSync(join(empty, "bin"));
  expect(() => chosen({ binDirectory: empty })).toThrow(`no programs of PostgreSQL in ${empty}`);
});
