/**
 * An earlier version of the service, built from its commit in a temporary folder, to run beside this one.
 *
 * It gets the migrations of this version: by itself a release refuses to start on a newer schema (db/migrate.ts), so one
 * that is killed could not come back, and its code would be tested for as long as it survives.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LEAVE_WITH_PARENT } from "../test/service-program.ts";

export type EarlierVersion = Disposable & {
  /** Short hash and subject. */
  commit: string;
  /** Arguments for Node. */
  program: readonly string[];
};

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** `ref` is anything that git resolves to a commit; "release" is the last tag. Its packages are installed by npm. */
export function buildEarlierVersion(ref: string): EarlierVersion {
  const commit = git("rev-parse", "--verify", `${ref === "release" ? lastTag() : ref}^{commit}`);
  const folder = mkdtempSync(join(tmpdir(), "mailvet-earlier-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, "archive.tar");
    git("archive", "--output", archive, commit);
    run("tar", ["-xf", archive, "-C", folder]);
    run(process.execPath, [join(folder, "scripts/ready.mjs"), "--run"], {
      cwd: folder,
      stdio: ["ignore", 2, 2],
    });
    const migrations = join(folder, "service/migrations");
    rmSync(migrations, { recursive: true });
    cpSync(join(ROOT, "service/migrations"), migrations, { recursive: true });
  } catch (error) {
    remove();
    throw error;
  }
  return {
    commit: git("log", "-1", "--format=%h %s", commit),
    program: [...LEAVE_WITH_PARENT, join(folder, "service/dist/main.js")],
    [Symbol.dispose]: remove,
  };
}

function lastTag(): string {
  const { status, stdout } = spawnSync("git", ["describe", "--tags", "--abbrev=0"], { cwd: ROOT });
  if (status !== 0) throw new Error("there is no release tag yet: name a commit, as in --beside 1366808");
  return stdout.toString().trim();
}

const git = (...args: string[]) => run("git", args, { cwd: ROOT }).trim();

function run(
  command: string,
  args: readonly string[],
  options: Parameters<typeof spawnSync>[2] = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { ...options, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? stderr ?? ""}`);
  return String(stdout ?? "");
}
