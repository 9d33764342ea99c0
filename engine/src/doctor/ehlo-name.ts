/** Checks that EHLO_NAME is a fully qualified name that resolves to our public IP. */
import { isIP } from "node:net";
import { getDomain } from "../address/public-suffix.ts";
import { specialUseOf } from "../address/special-use-domains.ts";
import { isHostName, normaliseName } from "../dns/host-name.ts";
import type { Resolver } from "../dns/resolver.ts";
import { type Diagnosis, type FindingRule, judge } from "./finding.ts";
import { type AddressesOfName, findAddressesOf } from "./forward-lookup.ts";
import { isSameAddress } from "./reverse-dns-name.ts";

export async function examineEhloName(
  deps: { resolver: Pick<Resolver, "query">; ehloName: string; exemptSpecialUse: readonly string[] },
  publicIp: string | undefined,
): Promise<Diagnosis> {
  const name = normaliseName(deps.ehloName);
  const problem = problemOf(name, deps.exemptSpecialUse);
  const forward: AddressesOfName =
    problem === undefined ? await findAddressesOf(deps.resolver, name) : { addresses: [] };
  return judge("EHLO name", RULES, { name, problem, forward, publicIp });
}

/** Domains of large providers; using one as EHLO name is treated as forgery. */
const LARGE_PROVIDER_DOMAINS: ReadonlySet<string> = new Set([
  ...["gmail.com", "google.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "microsoft.com"],
  ...["yahoo.com", "aol.com", "icloud.com", "apple.com", "gmx.net", "gmx.de", "mail.ru", "yandex.ru"],
]);

const PROBLEMS: readonly [string, (name: string) => boolean][] = [
  ["is an IP address, not a name", (name) => isIP(name) !== 0],
  ["is not a fully qualified domain name", (name) => !name.includes(".")],
  ["is not a host name", (name) => !isHostName(name)],
  ["belongs to a large provider, not to you", (name) => LARGE_PROVIDER_DOMAINS.has(getDomain(name) ?? "")],
];

function problemOf(name: string, exempt: readonly string[]): string | undefined {
  const problem = PROBLEMS.find(([, applies]) => applies(name))?.[0];
  if (problem !== undefined) return problem;
  const specialUse = specialUseOf(name, exempt);
  return specialUse === undefined ? undefined : `does not resolve in public DNS: ${specialUse}`;
}

type Facts = {
  name: string;
  problem: string | undefined;
  forward: AddressesOfName;
  publicIp: string | undefined;
};

const RULES: readonly FindingRule<Facts>[] = [
  {
    outcome: "bad",
    when: ({ problem }) => problem !== undefined,
    found: ({ name, problem }) => `${name} ${problem}.`,
    advice: ({ publicIp }) =>
      `Set EHLO_NAME to a name in your own domain, such as probe.example.com, with an address record for ${publicIp ?? "this machine's public IP"}.`,
  },
  {
    outcome: "unknown",
    when: ({ forward }) => forward.failure !== undefined,
    found: ({ name, forward }) => `${name} could not be resolved (${forward.failure}).`,
    advice: () => "Fix the DNS servers, or those of this domain, and run the diagnostics again.",
  },
  {
    outcome: "bad",
    when: ({ forward }) => forward.addresses.length === 0,
    found: ({ name }) => `${name} has no address record.`,
    advice: ({ name, publicIp }) =>
      `Add an address record for ${publicIp ?? "this machine's public IP"} to ${name}, or set EHLO_NAME to a name that has one.`,
  },
  {
    outcome: "unknown",
    when: ({ publicIp }) => publicIp === undefined,
    found: ({ name, forward }) =>
      `${name} resolves to ${forward.addresses.join(", ")}, but our public IP address is unknown.`,
  },
  {
    outcome: "good",
    when: ({ forward, publicIp }) => forward.addresses.some((one) => isSameAddress(one, publicIp!)),
    found: ({ name, publicIp }) => `${name} resolves to ${publicIp}.`,
  },
  {
    outcome: "bad",
    when: () => true,
    found: ({ name, forward, publicIp }) =>
      `${name} resolves to ${forward.addresses.join(", ")}, but our public IP is ${publicIp}.`,
    advice: ({ name, publicIp }) =>
      `Change the address record of ${name} to ${publicIp}, or set EHLO_NAME to the name of ${publicIp}.`,
  },
];
