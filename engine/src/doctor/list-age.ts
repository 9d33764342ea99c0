/** Checks that the reference lists are readable and recent. Disposable domains change daily. */
import { type Disposables, loadDisposables } from "../reference/disposable.ts";
import { type Diagnosis, type FindingRule, judge } from "./finding.ts";

export function examineListAge(
  paths: { listsDirectory: string | undefined; localListsFile: string | undefined },
  nowMs: number,
): Diagnosis {
  const { listsDirectory: directory, localListsFile: localFile } = paths;
  try {
    const { origin, size, localProblems } = loadDisposables({ directory, localFile });
    const ageDays = Math.max(0, Math.floor((nowMs - Date.parse(origin.madeAt)) / DAY_MS));
    return judge(NAME, RULES, { origin, size, localProblems, localFile, ageDays });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      name: NAME,
      outcome: "bad",
      found: `The lists cannot be read: ${why}`,
      advice: "Check LISTS_DIR and LOCAL_LISTS and the permissions of the files.",
    };
  }
}

const NAME = "reference lists";
const DAY_MS = 24 * 3600 * 1000;
const STALE_DAYS = 45;
const MAX_PROBLEMS_SHOWN = 3;

type Facts = Pick<Disposables, "origin" | "size" | "localProblems"> & {
  localFile: string | undefined;
  ageDays: number;
};

const RULES: readonly FindingRule<Facts>[] = [
  {
    outcome: "warning",
    when: ({ localProblems }) => localProblems.length > 0,
    found: ({ localProblems, localFile }) =>
      `${localFile} has invalid lines: ${localProblems
        .slice(0, MAX_PROBLEMS_SHOWN)
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
    found: ({ size, ageDays }) => `${size.toLocaleString("en")} disposable domains, ${daysOf(ageDays)} old.`,
    advice: () => "Run mailvet lists refresh, ideally every week.",
  },
  {
    outcome: "good",
    when: () => true,
    found: ({ size, ageDays, origin }) =>
      `${size.toLocaleString("en")} disposable domains (${origin.list}), ${daysOf(ageDays)} old.`,
  },
];

const daysOf = (count: number) => `${count} ${count === 1 ? "day" : "days"}`;
