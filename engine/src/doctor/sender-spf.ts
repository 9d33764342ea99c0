/** Checks whether the SPF record of MAIL_FROM's domain covers our public IP. */
import type { Resolver } from "../dns/resolver.ts";
import type { Diagnosis, FindingStatus } from "./finding.ts";
import { evaluateSpf, type SpfResult } from "./spf.ts";

export async function examineSenderSpf(
  deps: { resolver: Pick<Resolver, "query"> },
  domain: string,
  publicIp: string | undefined,
): Promise<Diagnosis> {
  const name = "SPF";
  // Without our IP the presence of a policy can still be checked: no policy covers the unspecified address.
  const result = await evaluateSpf(deps.resolver, domain, publicIp ?? UNSPECIFIED_ADDRESS);
  const isKnown = publicIp !== undefined || ADDRESS_INDEPENDENT.has(result);
  if (!isKnown)
    return { name, outcome: "unknown", found: `${domain} has an SPF record, but our public IP is unknown.` };
  const [outcome, found, advice] = FINDINGS[result];
  const finding: Diagnosis = { name, outcome, found: fill(found, domain, publicIp) };
  return advice === undefined ? finding : { ...finding, advice: fill(advice, domain, publicIp) };
}

const UNSPECIFIED_ADDRESS = "0.0.0.0";
/** Results that do not depend on the address. */
const ADDRESS_INDEPENDENT: ReadonlySet<SpfResult> = new Set(["none", "permerror", "temperror"]);

const ADD_US = "Add {mechanism} to the SPF record of {domain}, before its last term.";

const FINDINGS: Record<SpfResult, readonly [outcome: FindingStatus, found: string, advice?: string]> = {
  pass: ["good", "The SPF record of {domain} covers {address}."],
  fail: ["bad", "The SPF record of {domain} does not allow {address} to send (fail).", ADD_US],
  softfail: ["warning", "The SPF record of {domain} does not cover {address} (softfail).", ADD_US],
  neutral: ["warning", "The SPF record of {domain} does not mention {address} (neutral).", ADD_US],
  none: [
    "warning",
    "{domain} has no SPF record.",
    "Large providers prefer domains with SPF. Add a TXT record at {domain}: v=spf1 mx {mechanism} -all",
  ],
  permerror: [
    "bad",
    "The SPF record of {domain} is invalid, which many servers treat as a fail.",
    "There must be exactly one SPF record, with valid syntax, includes that exist, and at most ten lookups in total.",
  ],
  temperror: ["unknown", "The SPF lookup for {domain} failed.", "Run the diagnostics again later."],
  undecided: [
    "unknown",
    "The SPF record of {domain} depends on a macro, exists or ptr, which is not evaluated here.",
    "Add {mechanism} to make the result clear.",
  ],
};

function fill(sentence: string, domain: string, address: string | undefined): string {
  const mechanism = `${address?.includes(":") ? "ip6" : "ip4"}:${address ?? "your IP"}`;
  return sentence
    .replaceAll("{domain}", domain)
    .replaceAll("{address}", address ?? "")
    .replaceAll("{mechanism}", mechanism);
}
