/**
 * Finds the PostgreSQL programs that npm installed for this platform and makes them executable.
 *
 * npm packs no symbolic links, so the libraries lack their short names when install scripts were blocked. The user who
 * runs the server may have no access to node_modules. When the package cannot be repaired or reached in place, it is
 * copied into the data directory.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  constants,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { EmbeddedPostgresError } from "../embedded-postgres-error.ts";
import type { OnEvent } from "../events.ts";
import { changeOwner, processIdentity, type RunAsUser } from "../run-as-user.ts";
import { type PostgresVersion, versionOf } from "./releases.ts";

export type Binaries = { initdb: string; postgres: string; version: PostgresVersion };

export function readyBinaries(options: {
  packageDirectory: string;
  copyDirectory: string;
  user: RunAsUser | undefined;
  onEvent: OnEvent;
}): Binaries {
  const { packageDirectory, copyDirectory, user, onEvent } = options;
  const packaged = join(packageDirectory, "native");
  linkLibraries(packaged);
  const inPlace = runnable(join(packaged, "bin"), user);
  if (inPlace) return inPlace;

  const stamp = readFileSync(join(packageDirectory, "package.json"), "utf8");
  if (!isCopyOf(copyDirectory, stamp)) {
    onEvent({ event: "binaries_copying" });
    copy(packaged, copyDirectory, stamp, user);
  }
  const copied = runnable(join(copyDirectory, "bin"), user);
  if (copied) return copied;
  rmSync(copyDirectory, { recursive: true, force: true });
  throw new EmbeddedPostgresError(
    "The PostgreSQL that npm installed for this platform does not run here (Alpine and other systems without " +
      "glibc are not supported, nor is a data directory mounted noexec).",
    { remedies: ["other_server"] },
  );
}

/** The directory of the npm package for this platform. */
export function findPackage(platform: string = process.platform, cpu: string = process.arch): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${cpu}`);
    return dirname(dirname(entry));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platform}-${cpu} here: install the optional dependencies too ` +
        "(npm install --include=optional).",
      { cause, remedies: ["other_server"] },
    );
  }
}

/** Creates the short library names that the programs link to, where the directory is writable. */
function linkLibraries(native: string): void {
  const directory = join(native, "lib");
  const names = new Set(readdirSync(directory));
  for (const { name, target } of [...listedLinks(native), ...impliedLinks(names)]) {
    if (names.has(name) || !names.has(target)) continue;
    names.add(name);
    try {
      symlinkSync(target, join(directory, name));
    } catch {
      // Read-only, or another process was faster. `runnable` finds out whether it works.
    }
  }
}

type LibraryLink = { name: string; target: string };

/** The links that the package lists as missing. */
function listedLinks(native: string): LibraryLink[] {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  return links
    .filter(({ target }) => basename(dirname(target)) === "lib")
    .map(({ source, target }) => ({ name: basename(target), target: basename(source) }));
}

/** The package's list is incomplete in some versions: `libX.60.dylib` for `libX.60.2.dylib`, `libX.so.5` for `libX.so.5.18`. */
export function impliedLinks(names: Iterable<string>): LibraryLink[] {
  return [...names].flatMap((target) => {
    const [, stem, ending = ""] =
      /^(lib.+\.so\.\d+)\.\d+()$/.exec(target) ?? /^(lib.+?\.\d+)\.\d+(\.dylib)$/.exec(target) ?? [];
    return stem ? [{ name: stem + ending, target }] : [];
  });
}

/** Runs `postgres --version` as the user who will run the server; undefined when that fails. */
export function runnable(binDirectory: string, user: RunAsUser | undefined): Binaries | undefined {
  const postgres = join(binDirectory, "postgres");
  const initdb = join(binDirectory, "initdb");
  const { stdout } = spawnSync(postgres, ["--version"], {
    ...processIdentity(user),
    cwd: "/",
    env: {},
    encoding: "utf8",
    timeout: 10_000,
  });
  const version = versionIn(/\(PostgreSQL\) (\d+)\.(\d+)/, stdout ?? "");
  return version && existsSync(initdb) ? { initdb, postgres, version } : undefined;
}

/** Of the programs in the npm package, which is named after it: 18.4.0-beta.17 carries 18.4. */
export function packagedVersion(packageDirectory: string): PostgresVersion {
  const { version } = JSON.parse(readFileSync(join(packageDirectory, "package.json"), "utf8"));
  const found = versionIn(/^(\d+)\.(\d+)/, version);
  if (found) return found;
  throw new Error(`${packageDirectory} has the version ${version}, which names no PostgreSQL`);
}

function versionIn(pattern: RegExp, text: string): PostgresVersion | undefined {
  const [, major, minor] = pattern.exec(text) ?? [];
  return major === undefined ? undefined : versionOf(Number(major) * 10_000 + Number(minor));
}

const STAMP = "copied-from.json";

/** The copy carries the package.json it was made from, so a new version is copied again. */
function isCopyOf(copyDirectory: string, stamp: string): boolean {
  const file = join(copyDirectory, STAMP);
  return existsSync(file) && readFileSync(file, "utf8") === stamp;
}

function copy(native: string, copyDirectory: string, stamp: string, user: RunAsUser | undefined): void {
  const fresh = `${copyDirectory}.new`;
  rmSync(fresh, { recursive: true, force: true });
  cpSync(native, fresh, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  chmodSync(fresh, 0o755); // the package's directories may be read-only
  for (const entry of readdirSync(fresh, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  linkLibraries(fresh);
  writeFileSync(join(fresh, STAMP), stamp);
  changeOwner(user, fresh);
  rmSync(copyDirectory, { recursive: true, force: true });
  renameSync(fresh, copyDirectory);
}
