/**
 * State of each egress identity at each mail provider, unless it works as usual: slowed, or refused since when.
 *
 * Derived from throttle states. A filter that runs hosts for many companies refuses the identity when several of its hosts
 * do: a single one may follow its owner's list.
 */
import type { HostPace, ProviderState } from "@mailvet/contract";
import { profileOf } from "@mailvet/engine";

const PROVIDER_KEY = "provider ";
const HOSTS_OF_A_FILTER = 3;

/** Refused ones first, the longest first. */
export function providerStates(paces: readonly HostPace[]): ProviderState[] {
  const groups = new Map<string, HostPace[]>();
  for (const pace of paces) {
    if (pace.provider === "other") continue;
    const key = `${pace.identity} ${pace.provider}`;
    groups.set(key, [...(groups.get(key) ?? []), pace]);
  }
  const states = [...groups.values()].flatMap((group) => stateOf(group) ?? []);
  const order = ({ state, since }: ProviderState) => `${state === "refused" ? 0 : 1} ${since}`;
  return states.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

const isWhole = ({ key }: HostPace) => key.startsWith(PROVIDER_KEY);

function stateOf(paces: readonly HostPace[]): ProviderState | undefined {
  const refused = paces
    .filter(({ refused_since }) => refused_since !== null)
    .sort((a, b) => Date.parse(a.refused_since!) - Date.parse(b.refused_since!));
  const { identity, provider } = paces[0]!;
  const [first] = refused;
  if (first && (refused.some(isWhole) || refused.length >= HOSTS_OF_A_FILTER)) {
    const { refused_since: since, breaker_open_until, last_reply: reply } = first;
    const removal_url = removalUrl(provider, reply ?? "");
    return { identity, provider, state: "refused", since, retry_at: breaker_open_until, reply, removal_url };
  }
  const profile = profileOf(provider);
  const isSlowed = paces.some(
    (pace) => isWhole(pace) && (pace.limit < profile.connections || pace.rest_ms > profile.gapMs),
  );
  if (!isSlowed) return undefined;
  return { identity, provider, state: "slowed", since: null, retry_at: null, reply: null, removal_url: null };
}

/** Lists and reputation services that a reply names decide; then the provider does. */
const NAMED_IN_REPLY: readonly [RegExp, string][] = [
  [/spamhaus/i, "https://check.spamhaus.org/"],
  [/spamcop/i, "https://www.spamcop.net/bl.shtml"],
  [/proofpoint/i, "https://ipcheck.proofpoint.com/"],
  [/barracuda/i, "https://www.barracudacentral.org/rbl/removal-request"],
];

const OF_PROVIDER: Readonly<Record<string, string>> = {
  microsoft_365: "https://sender.office.com/",
  outlook: "https://olcsupport.office.com/",
  google: "https://support.google.com/mail/contact/gmail_bulk_sender_escalation",
  google_workspace: "https://support.google.com/mail/contact/gmail_bulk_sender_escalation",
  yahoo: "https://senders.yahooinc.com/contact/",
  icloud: "https://support.apple.com/en-us/102322",
  proofpoint: "https://ipcheck.proofpoint.com/",
  barracuda: "https://www.barracudacentral.org/rbl/removal-request",
  cisco_ironport: "https://talosintelligence.com/reputation_center",
  mimecast: "https://community.mimecast.com/docs/DOC-1369#550",
  gmx: "https://postmaster.gmx.net/en/",
  t_online: "https://postmaster.t-online.de/",
  mail_ru: "https://postmaster.mail.ru/",
};

/** Where the removal of an address is requested; null where no page is known. */
export function removalUrl(provider: string, reply: string): string | null {
  return NAMED_IN_REPLY.find(([name]) => name.test(reply))?.[1] ?? OF_PROVIDER[provider] ?? null;
}
