/** Does the sender policy (SPF) of MAIL_FROM's domain allow our address to speak for it? */
import type { Resolver } from "../dns/resolver.ts";
import type { Finding, FindingStatus } from "./finding.ts";
import { evaluateSpf, type SpfResult } from "./spf.ts";

export async function examineSenderSpf(
  deps: { resolver: Pick<Resolver, "ask"> },
  domain: string,
  ourAddress: string | undefined,
): Promise<Finding> {
  const name = "SPF";
  // Without our address we can still tell whether there is a policy: nobody's policy names the unspecified one.
  const result = await evaluateSpf(deps.resolver, domain, ourAddress ?? NOBODY);
  const isKnown = ourAddress !== undefined || INDEPENDENT.has(result);
  if (!isKnown)
    return { name, outcome: "unknown", found: `${domain} has a policy; whether it covers us is not known.` };
  const [outcome, found, advice] = TELLING[result];
  const finding: Finding = { name, outcome, found: fill(found, domain, ourAddress) };
  return advice === undefined ? finding : { ...finding, advice: fill(advice, domain, ourAddress) };
}

const NOBODY = "0.0.0.0";
/** What comes out whatever the address is. */
const INDEPENDENT: ReadonlySet<SpfResult> = new Set(["none", "permerror", "temperror"]);

const ADD_US = "Add {mechanism} to the SPF record of {domain}, before its last word.";

const TELLING: Record<SpfResult, readonly [outcome: FindingStatus, found: string, advice?: string]> = {
  pass: ["good", "The policy of {domain} covers {address}."],
  fail: ["bad", "The policy of {domain} forbids {address} to send in its name.", ADD_US],
  softfail: ["warning", "The policy of {domain} does not cover {address} (softfail).", ADD_US],
  neutral: ["warning", "The policy of {domain} says nothing about {address}.", ADD_US],
  none: [
    "warning",
    "{domain} has no policy.",
    "Large providers trust domains with one more. Add a TXT record at {domain}: v=spf1 mx {mechanism} -all",
  ],
  permerror: [
    "bad",
    "The policy of {domain} is broken, which many servers take for a no.",
    "There must be exactly one SPF record, spelt right, with includes that exist and at most ten lookups in all.",
  ],
  temperror: ["unknown", "The policy of {domain} could not be looked up.", "Look again later."],
  undecided: [
    "unknown",
    "The policy of {domain} hangs on a macro, exists or ptr, which is not worked out here.",
    "Naming the address outright, as {mechanism}, would make it plain.",
  ],
};

function fill(sentence: string, domain: string, address: string | undefined): string {
  const mechanism = `${address?.includes(":") ? "ip6" : "ip4"}:${address ?? "your address"}`;
  return sentence
    .replaceAll("{domain}", domain)
    .replaceAll("{address}", address ?? "")
    .replaceAll("{mechanism}", mechanism);
}
