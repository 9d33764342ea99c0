/** Do the large providers let us in? Told from the visits, in the words of those who do not. */
import { type Case, type Finding, judge } from "./finding.ts";
import type { ProviderProbe } from "./provider-probe.ts";

export function judgeAcceptance(visits: readonly ProviderProbe[]): Finding {
  return judge("welcome", CASES, {
    greeted: visits.filter((visit) => visit.kind === "greeted"),
    refused: visits.filter((visit) => visit.kind === "refused"),
  });
}

type Refusal = Extract<ProviderProbe, { kind: "refused" }>;
type Facts = { greeted: readonly ProviderProbe[]; refused: readonly Refusal[] };

const MAX_WORDS = 300;

const isForGood = ({ code }: Refusal) => code >= 500;
const inTheirWords = ({ refused }: Facts) =>
  refused.map(({ provider, code, words }) => `${provider}: "${code} ${shortened(words)}"`).join("; ");

const CASES: readonly Case<Facts>[] = [
  {
    outcome: "bad",
    when: ({ refused }) => refused.some(isForGood),
    found: (facts) => `Refused by ${inTheirWords(facts)}.`,
    advice: () =>
      "They have something against your address or its name, and every mailbox there stays unknown. Put right what is bad below, then follow the link in their words to be let in, or use another address.",
  },
  {
    outcome: "warning",
    when: ({ refused }) => refused.length > 0,
    found: (facts) => `Put off by ${inTheirWords(facts)}.`,
    advice: () =>
      "It may pass by itself. If it stays, put right what is bad below and ask fewer addresses at a time there.",
  },
  {
    outcome: "good",
    when: ({ greeted }) => greeted.length > 0,
    found: ({ greeted }) => `Let in by ${greeted.map(({ provider }) => provider).join(", ")}.`,
  },
  { outcome: "unknown", when: () => true, found: () => "Nobody was there to let us in or refuse us." },
];

function shortened(words: string): string {
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}
