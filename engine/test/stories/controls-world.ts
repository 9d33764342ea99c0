/** Servers that answer every recipient alike after some unknown users, and lists of live and dead mailboxes at them. */
import { type MailWorld, mailDomain, mailHost, type ServerSession, type Temperament } from "@mailvet/lab";
import { openStory } from "./story.ts";

/** CI runs all of them. */
const SHUFFLES = process.env.TEST_ALL_ROUNDS ? 20 : 3;
export const LIVE = Array.from({ length: 14 }, (_, i) => `anna${i}`);
export const DEAD = Array.from({ length: 10 }, (_, i) => `eve${i}`);

type Counting = "in a session" | "over sessions";
type Change = { after: number; to: "accepts" | "refuses" };

/** After each number of unknown users, the server accepts or refuses every recipient. */
export function changes(counting: Counting, ...steps: readonly Change[]): Temperament {
  const bySession = new WeakMap<ServerSession, { unknown: number }>();
  const ofClient = { unknown: 0 };
  return {
    on: {
      rcpt(session) {
        const count = counting === "over sessions" ? ofClient : (bySession.get(session) ?? { unknown: 0 });
        bySession.set(session, count);
        const step = steps.findLast(({ after }) => count.unknown >= after);
        if (session.truth(session.address) !== "exists") count.unknown++;
        if (!step) return undefined;
        return { reply: step.to === "accepts" ? "250 2.1.5 Ok" : "550 5.1.1 User unknown" };
      },
    },
  };
}

/** In an order that depends on the seed only. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const left = [...list];
  let state = seed + 1;
  return list.map(() => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return left.splice((state >>> 8) % left.length, 1)[0]!;
  });
}

type Options = {
  hasPostmaster?: boolean;
  isKnownBefore?: boolean;
  domains?: number;
  live?: readonly string[];
};

/** One host for each change and order. Returns the verdicts, as "dead valid" or "live unknown". */
export async function verdictsAt(
  tempers: readonly (() => Temperament)[],
  { hasPostmaster = false, isKnownBefore = false, domains = 1, live = LIVE }: Options = {},
): Promise<Record<string, number>> {
  const world: MailWorld = {};
  const lists: string[][] = [];
  for (const [i, temper] of tempers.entries())
    for (let seed = 0; seed < SHUFFLES; seed++) {
      const host = `mx.host${i}-${seed}.test`;
      world[host] = mailHost({ temper: temper() });
      const names = Array.from({ length: domains }, (_, d) => `shop${i}-${seed}-${d}.test`);
      const users = [...LIVE, ...(hasPostmaster ? ["postmaster"] : [])];
      for (const name of names) world[name] = mailDomain({ mx: [host], users });
      const emails = [...live, ...DEAD].map((name, n) => `${name}@${names[n % domains]}`);
      lists.push(shuffled(emails, seed));
    }
  await using story = await openStory(world, { idleSessionMs: 0 });
  const counts: Record<string, number> = {};
  await Promise.all(
    lists.map(async (emails) => {
      if (isKnownBefore) await story.verdictOn(`anna13@${emails[0]!.split("@")[1]}`);
      const verdicts = await story.verdictsOn(emails); // a live one called invalid throws
      for (const [i, email] of emails.entries()) {
        const kind = `${email.startsWith("anna") ? "live" : "dead"} ${verdicts[i]!.split(" ")[0]}`;
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
    }),
  );
  return counts;
}
