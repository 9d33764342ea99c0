/**
 * Which PostgreSQL the embedded server is: one of the operating system, or the one that npm carries.
 *
 * A new database is created by the one with the fewest missing security releases; an existing one is opened by its own
 * major only. The distribution patches its PostgreSQL, and npm had no new binaries for half a year (docs/decisions/0012).
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgresError } from "../embedded-postgres-error.ts";
import type { RunAsUser } from "../run-as-user.ts";
import { type Binaries, findPackage, packagedVersion, runnable } from "./binaries.ts";
import { type PostgresVersion, releasesBehind, versionText } from "./releases.ts";

/** Programs of the operating system, or the npm package, whose programs are still to be made ready. */
export type Programs = { binaries: Binaries } | { packageDirectory: string; version: PostgresVersion };

export type ProgramsOptions = {
  /** The cluster's directory, which may not exist yet. */
  cluster: string;
  /** Of the programs to use; without it they are chosen. */
  binDirectory: string | undefined;
  user: RunAsUser | undefined;
  /** Where PostgreSQL may be installed. */
  systemDirectories?: () => string[];
};

export function choosePrograms(options: ProgramsOptions): Programs {
  const { cluster, binDirectory, user } = options;
  const major = majorOf(cluster);
  const candidates = binDirectory === undefined ? installed(options) : [named(binDirectory, user)];
  const fitting = candidates.filter(
    (one) => (major ?? one.version.major) === one.version.major && (binDirectory || isUsable(one, major)),
  );
  // Sorting is stable: of two that are equally new the package comes first.
  const [best] = fitting.sort((a, b) => missing(a) - missing(b));
  if (best) return best.programs;
  if (candidates.length === 0) findPackage(); // throws: says what to install
  throw new EmbeddedPostgresError(
    `The database in ${cluster} was created by PostgreSQL ${major}, and only ` +
      `${candidates.map(({ version }) => versionText(version)).join(" and ")} ${candidates.length > 1 ? "are" : "is"} here.`,
    { remedies: ["same_version", "move_data"] },
  );
}

type Candidate = { programs: Programs; version: PostgresVersion };

/** A new database is not created by a major without fixes. */
const isUsable = ({ programs, version }: Candidate, major: number | undefined): boolean =>
  major !== undefined || "packageDirectory" in programs || releasesBehind(version) !== undefined;

const missing = ({ version }: Candidate): number => releasesBehind(version) ?? Number.POSITIVE_INFINITY;

function installed({ user, systemDirectories = installedDirectories }: ProgramsOptions): Candidate[] {
  const system = systemDirectories().flatMap((directory) => {
    const binaries = runnable(directory, user);
    return binaries ? [{ programs: { binaries }, version: binaries.version }] : [];
  });
  try {
    const packageDirectory = findPackage();
    const version = packagedVersion(packageDirectory);
    return [{ programs: { packageDirectory, version }, version }, ...system];
  } catch (error) {
    if (system.length === 0) throw error;
    return system;
  }
}

/** Older ones get no security fixes any more. */
const OLDEST_MAJOR = 15;

function named(directory: string, user: RunAsUser | undefined): Candidate {
  const binaries = runnable(directory, user);
  if (binaries && binaries.version.major >= OLDEST_MAJOR)
    return { programs: { binaries }, version: binaries.version };
  if (binaries)
    throw new EmbeddedPostgresError(
      `${directory} has PostgreSQL ${versionText(binaries.version)}. PostgreSQL ${OLDEST_MAJOR} or newer is needed.`,
    );
  throw new EmbeddedPostgresError(
    `There are no programs of PostgreSQL in ${directory} that ${user?.name ?? "this user"} can run (postgres and initdb).`,
    { remedies: ["same_version"] },
  );
}

/** The directories of Debian's packages and of PostgreSQL's own for Red Hat, one per major. */
function installedDirectories(): string[] {
  return [
    { parent: "/usr/lib/postgresql", name: /^\d+$/ },
    { parent: "/usr", name: /^pgsql-\d+$/ },
  ].flatMap(({ parent, name }) => {
    if (!existsSync(parent)) return [];
    return readdirSync(parent)
      .filter((entry) => name.test(entry))
      .map((entry) => join(parent, entry, "bin"));
  });
}

function majorOf(cluster: string): number | undefined {
  const file = join(cluster, "PG_VERSION");
  return existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : undefined;
}
