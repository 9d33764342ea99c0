/** A simulated internet with servers of several behaviours, greylisting included, and lists with known verdicts. */
import { acceptsEveryone, greylists, type Lab, type MailWorld, mailDomain, overQuota } from "@mailvet/lab";

/** Long enough that a row is deferred, short enough that its retry falls within the round. */
const GREYLIST_SECONDS = 2;
const GREY_WORDS = {
  replies: { greylisted: `451 4.7.1 Greylisted, please try again in ${GREYLIST_SECONDS} seconds` },
};
const isUser = ({ localPart }: { localPart: string }) => localPart.startsWith("live");

const ORDINARY = 12;
const GREY = 4;

export const CHAOS_WORLD: MailWorld = Object.fromEntries([
  ...Array.from({ length: ORDINARY }, (_, index) => [
    `plain${index}.test`,
    mailDomain({ users: isUser, latencyMs: 20 + 10 * index, connectionCap: 3 }),
  ]),
  ...Array.from({ length: GREY }, (_, index) => [
    `grey${index}.test`,
    mailDomain({ users: isUser, temper: [greylists({ delayMs: GREYLIST_SECONDS * 1000 }), GREY_WORDS] }),
  ]),
  ["open.test", mailDomain({ temper: acceptsEveryone })],
  ["full.test", mailDomain({ users: isUser, temper: overQuota(["live-full"]) })],
]);

export type ListRow = { email: string; isDuplicate: boolean };

/** New addresses each time, so that no round is answered from the cache. At each domain some exist: one without any is asked over hours. */
export function listOf(uniqueEmails: number, round: string): ListRow[] {
  const domains = Object.keys(CHAOS_WORLD);
  const rows: ListRow[] = [];
  for (let index = 0; index < uniqueEmails; index++) {
    const domain = domains[index % domains.length]!;
    const name = index % 5 < 2 ? "gone" : "live";
    const email = index % 97 === 5 ? `no address ${round} ${index}` : `${name}-${round}-${index}@${domain}`;
    rows.push({ email, isDuplicate: false });
    if (index % 10 === 7) rows.push({ email: email.toUpperCase(), isDuplicate: true });
  }
  return rows;
}

export function csvOf(rows: readonly ListRow[]): string {
  return `number,email,note\r\n${rows.map(({ email }, index) => `${index + 1},${email},"row\n${index + 1}"\r\n`).join("")}`;
}

/** The correct verdict, from the lab's configuration. */
export function rightStatus(lab: Lab, email: string): string {
  if (!email.includes("@")) return "invalid/syntax_error";
  switch (lab.truth(email)) {
    case "exists":
      return "valid/";
    case "does_not_exist":
      return "invalid/mailbox_not_found";
    case "catch_all":
      return "risky/catch_all";
    case "full":
      return "risky/mailbox_full";
    default:
      return "?";
  }
}
