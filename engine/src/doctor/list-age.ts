/** Are the reference lists whole and fresh? Throw-away domains come and go by the day. */
import { type Disposables, loadDisposables } from "../reference/disposable.ts";
import { type Case, type Finding, judge } from "./finding.ts";

export function examineListAge(
  places: { listsDirectory: string | undefined; localListsFile: string | undefined },
  nowMs: number,
): Finding {
  const { listsDirectory: directory, localListsFile: localFile } = places;
  try {
    const { origin, size, localProblems } = loadDisposables({ directory, localFile });
    const ageDays = Math.max(0, Math.floor((nowMs - Date.parse(origin.madeAt)) / DAY_MS));
    return judge(NAME, CASES, { origin, size, localProblems, localFile, ageDays });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      name: NAME,
      outcome: "bad",
      found: `They cannot be read: ${why}`,
      advice: "Check LISTS_DIR and LOCAL_LISTS, and that we may read what is there.",
    };
  }
}

const NAME = "reference lists";
const DAY_MS = 24 * 3600 * 1000;
const STALE_DAYS = 45;
const PROBLEMS_TOLD = 3;

type Facts = Pick<Disposables, "origin" | "size" | "localProblems"> & {
  localFile: string | undefined;
  ageDays: number;
};

const CASES: readonly Case<Facts>[] = [
  {
    outcome: "warning",
    when: ({ localProblems }) => localProblems.length > 0,
    found: ({ localProblems, localFile }) =>
      `Lines in ${localFile} are not understood: ${localProblems
        .slice(0, PROBLEMS_TOLD)
        .map(({ line, reason }) => `line ${line}: ${reason}`)
        .join("; ")}.`,
    advice: () => 'Write lines such as "allow example.com" and "deny example.net".',
  },
  {
    outcome: "warning",
    when: ({ origin }) => origin.passedOver !== undefined,
    found: ({ origin }) => `The refreshed list is not used: ${origin.passedOver}.`,
    advice: () => "Run mailvet lists refresh.",
  },
  {
    outcome: "warning",
    when: ({ ageDays }) => ageDays > STALE_DAYS,
    found: ({ size, ageDays }) => `${size.toLocaleString("en")} throw-away domains, ${ageDays} days old.`,
    advice: () => "Run mailvet lists refresh, best every week.",
  },
  {
    outcome: "good",
    when: () => true,
    found: ({ size, ageDays, origin }) =>
      `${size.toLocaleString("en")} throw-away domains (${origin.list}), ${ageDays} days old.`,
  },
];
