/**
 * Checks whether large providers accept our connections, from the provider probes; quotes the replies of those that
 * do not.
 */
import { type Diagnosis, type FindingRule, judge } from "./finding.ts";
import type { ProviderProbe } from "./provider-probe.ts";

export function judgeAcceptance(probes: readonly ProviderProbe[]): Diagnosis {
  return judge("welcome", RULES, {
    greeted: probes.filter((probe) => probe.kind === "greeted"),
    refused: probes.filter((probe) => probe.kind === "refused"),
  });
}

type RejectedProbe = Extract<ProviderProbe, { kind: "refused" }>;
type Facts = { greeted: readonly ProviderProbe[]; refused: readonly RejectedProbe[] };

const MAX_REPLY_LENGTH = 300;

const isPermanent = ({ code }: RejectedProbe) => code >= 500;
const quotedReplies = ({ refused }: Facts) =>
  refused.map(({ provider, code, text }) => `${provider}: "${code} ${truncated(text)}"`).join("; ");

const RULES: readonly FindingRule<Facts>[] = [
  {
    outcome: "bad",
    when: ({ refused }) => refused.some(isPermanent),
    found: (facts) => `Rejected by ${quotedReplies(facts)}.`,
    advice: () =>
      "Your IP or its PTR name is blocked by this provider. Fix the failures below, then request delisting at the link. Until then, every mailbox there is unknown.",
  },
  {
    outcome: "warning",
    when: ({ refused }) => refused.length > 0,
    found: (facts) => `Temporarily rejected by ${quotedReplies(facts)}.`,
    advice: () =>
      "This may be temporary. If it persists, fix the failures below and check fewer addresses at a time there.",
  },
  {
    outcome: "good",
    when: ({ greeted }) => greeted.length > 0,
    found: ({ greeted }) => `Accepted by ${greeted.map(({ provider }) => provider).join(", ")}.`,
  },
  { outcome: "unknown", when: () => true, found: () => "No provider could be reached." },
];

function truncated(text: string): string {
  return text.length > MAX_REPLY_LENGTH ? `${text.slice(0, MAX_REPLY_LENGTH)}…` : text;
}
