/**
 * Which release of PostgreSQL the database runs, and whether it lacks security fixes: logged at start, and a finding of
 * the operator's diagnostics. The same for the embedded server and that of DATABASE_URL.
 */
import { CURRENT_RELEASES, releasesBehind, versionOf, versionText } from "@mailvet/embedded-postgres";
import type { Diagnosis, Doctor } from "@mailvet/engine";
import type { Pool } from "pg";
import type { LogEvent } from "../base/log-events.ts";

const ADVICE =
  "Install the current minor release (docs/operating.md, PostgreSQL releases); the data stays as it is.";

export async function logOutdatedRelease(pool: Pool, log: LogEvent): Promise<void> {
  const finding = releaseFinding(await readVersion(pool));
  if (finding.outcome !== "good") log("postgres_outdated", { found: finding.found });
}

/** The engine's diagnostics, and the database's release after them. */
export function withDatabaseRelease(doctor: Doctor, pool: Pool): Doctor {
  return {
    async *examine() {
      yield* doctor.examine();
      yield releaseFinding(await readVersion(pool));
    },
    close: () => doctor.close(),
  };
}

export function releaseFinding(versionNumber: number): Diagnosis {
  const version = versionOf(versionNumber);
  const name = "PostgreSQL release";
  const running = `PostgreSQL ${versionText(version)}`;
  const { date, minors } = CURRENT_RELEASES;
  const current = minors[version.major];
  const behind = releasesBehind(version);
  if (behind === undefined || current === undefined) {
    const isNewer = version.major > Math.max(...Object.keys(minors).map(Number));
    return isNewer
      ? { name, outcome: "unknown", found: `${running} is newer than this release of Mailvet knows.` }
      : { name, outcome: "bad", found: `${running} gets no more security fixes.`, advice: ADVICE };
  }
  if (behind <= 0) return { name, outcome: "good", found: `${running}, current as of ${date}.` };
  const count = `${behind} security ${behind === 1 ? "release" : "releases"}`;
  const found = `${running} is ${count} behind; ${version.major}.${current} is current as of ${date}.`;
  return { name, outcome: "warning", found, advice: ADVICE };
}

async function readVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ number: number }>(
    "select current_setting('server_version_num')::int as number",
  );
  return rows[0]!.number;
}
