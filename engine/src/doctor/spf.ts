/**
 * Evaluates a domain's SPF record (RFC 7208) for an IP address.
 *
 * Supports what most domains use: all, ip4, ip6, a, mx, include, redirect, within the RFC's ten lookups. Macros,
 * `exists` and `ptr` are not evaluated; where the result depends on one, it is `undecided`.
 */
import { isFailure } from "../dns/dns-answer.ts";
import type { Resolver } from "../dns/resolver.ts";
import { type IpBytes, parseIp } from "../egress/ip-range.ts";

export type SpfResult =
  | "pass"
  | "fail"
  | "softfail"
  | "neutral"
  /** There is no policy. */
  | "none"
  /** The policy is invalid. */
  | "permerror"
  /** A lookup failed. */
  | "temperror"
  | "undecided";

export async function evaluateSpf(
  resolver: Pick<Resolver, "query">,
  domain: string,
  address: string,
): Promise<SpfResult> {
  const publicIp = parseIp(address);
  if (!publicIp) throw new Error(`"${address}" is not an IP address`);
  return evaluate({ resolver, publicIp, lookups: 0 }, domain);
}

const MAX_LOOKUPS = 10;
const MAX_EXCHANGERS = 10;

type Evaluation = { resolver: Pick<Resolver, "query">; publicIp: IpBytes; lookups: number };

/** Whether a mechanism matches our IP, or why that is not known. */
type Match = boolean | "permerror" | "temperror" | "undecided";

const RESULT_BY_QUALIFIER: Readonly<Record<string, SpfResult>> = {
  "": "pass",
  "+": "pass",
  "-": "fail",
  "~": "softfail",
  "?": "neutral",
};

async function evaluate(evaluation: Evaluation, domain: string): Promise<SpfResult> {
  const answer = await evaluation.resolver.query(domain, "TXT");
  if (isFailure(answer)) return answer.status === "unaskable" ? "permerror" : "temperror";
  const records =
    answer.status === "answer" ? answer.records.filter((text) => /^v=spf1(?: |$)/i.test(text)) : [];
  if (records.length === 0) return "none";
  if (records.length > 1) return "permerror";

  const terms = records[0]!
    .split(" ")
    .slice(1)
    .filter((term) => term !== "")
    .map(parseTerm);
  let isUndecided = false;
  for (const term of terms) {
    if (term === undefined) return "permerror";
    if (term.isModifier) continue;
    const match = await matches(evaluation, term, domain);
    if (match === "permerror" || match === "temperror") return match;
    const result = RESULT_BY_QUALIFIER[term.qualifier] ?? "permerror";
    if (match === "undecided") isUndecided = true;
    else if (match) return isUndecided && result !== "pass" ? "undecided" : result;
  }
  const redirect = terms.find((term) => term?.isModifier && term.name === "redirect");
  const target = redirect ? await follow(evaluation, redirect) : "neutral";
  const rest = target === "none" ? "permerror" : target; // RFC 7208, 6.1: a redirect must lead to a policy
  return isUndecided && rest !== "pass" ? "undecided" : rest;
}

type Term = { qualifier: string; name: string; isModifier: boolean; value: string; prefixes: string };

/** `-ip4:192.0.2.0/24`, `a:mail.example.com/28//64`, `redirect=_spf.example.com`. */
function parseTerm(text: string): Term | undefined {
  const parts = /^([-+?~]?)([a-z][a-z0-9_.-]*)(?:([:=])(.*?))?((?:\/{1,2}\d{1,3}){0,2})$/i.exec(text);
  if (!parts) return undefined;
  const [, qualifier = "", name = "", separator, value = "", prefixes = ""] = parts;
  return { qualifier, name: name.toLowerCase(), isModifier: separator === "=", value, prefixes };
}

async function matches(evaluation: Evaluation, term: Term, domain: string): Promise<Match> {
  const mechanism = MECHANISMS[term.name];
  if (!mechanism) return "permerror";
  if (term.value.includes("%")) return "undecided";
  return mechanism(evaluation, term, term.value || domain);
}

type Mechanism = (evaluation: Evaluation, term: Term, target: string) => Match | Promise<Match>;

const MECHANISMS: Readonly<Record<string, Mechanism | undefined>> = {
  all: () => true,
  ip4: matchesIp,
  ip6: matchesIp,
  a: async (evaluation, term, target) =>
    countLookup(evaluation) ? matchesHost(evaluation, term, target) : "permerror",
  mx: async (evaluation, term, target) =>
    countLookup(evaluation) ? matchesExchangers(evaluation, term, target) : "permerror",
  include: async (evaluation, term) => INCLUDED[await follow(evaluation, term)],
  exists: (evaluation) => (countLookup(evaluation) ? "undecided" : "permerror"),
  ptr: (evaluation) => (countLookup(evaluation) ? "undecided" : "permerror"),
};

/** RFC 7208, 5.2: only a pass of the included policy counts as a match. */
const INCLUDED: Readonly<Record<SpfResult, Match>> = {
  pass: true,
  fail: false,
  softfail: false,
  neutral: false,
  none: "permerror",
  permerror: "permerror",
  temperror: "temperror",
  undecided: "undecided",
};

/** Another domain's policy, for include and redirect. */
async function follow(evaluation: Evaluation, { value }: Term): Promise<SpfResult> {
  if (value.includes("%")) return "undecided";
  if (value === "" || !countLookup(evaluation)) return "permerror";
  return evaluate(evaluation, value);
}

function countLookup(evaluation: Evaluation): boolean {
  evaluation.lookups++;
  return evaluation.lookups <= MAX_LOOKUPS;
}

function matchesIp({ publicIp }: Evaluation, { value, prefixes }: Term): Match {
  const network = parseIp(value);
  const [, bits] = /^(?:\/(\d+))?$/.exec(prefixes) ?? [];
  if (!network || (prefixes !== "" && bits === undefined)) return "permerror";
  return sharePrefix(publicIp, network, bits === undefined ? network.length * 8 : Number(bits));
}

async function matchesHost(evaluation: Evaluation, { prefixes }: Term, host: string): Promise<Match> {
  const { resolver, publicIp } = evaluation;
  const answer = await resolver.query(host, publicIp.length === 4 ? "A" : "AAAA");
  if (isFailure(answer)) return "temperror";
  if (answer.status !== "answer") return false;
  const bits = prefixBits(prefixes, publicIp.length);
  return answer.records.some((address) => sharePrefix(publicIp, parseIp(address) ?? [], bits));
}

async function matchesExchangers(evaluation: Evaluation, term: Term, domain: string): Promise<Match> {
  const answer = await evaluation.resolver.query(domain, "MX");
  if (isFailure(answer)) return "temperror";
  if (answer.status !== "answer") return false;
  if (answer.records.length > MAX_EXCHANGERS) return "permerror";
  const found = await Promise.all(
    answer.records.map(({ exchange }) => matchesHost(evaluation, term, exchange)),
  );
  if (found.includes(true)) return true;
  return found.includes("temperror") ? "temperror" : false;
}

/** `/24//64` names a length for IPv4 and one for IPv6; without one, the whole address counts. */
function prefixBits(prefixes: string, length: number): number {
  const parts = /^(?:\/(\d+))?(?:\/\/(\d+))?$/.exec(prefixes);
  const bits = length === 4 ? parts?.[1] : parts?.[2];
  return bits === undefined ? length * 8 : Number(bits);
}

function sharePrefix(publicIp: IpBytes, network: IpBytes, bits: number): boolean {
  if (publicIp.length !== network.length) return false;
  return publicIp.every((byte, index) => {
    const ignored = 8 - Math.min(8, Math.max(0, bits - index * 8));
    return byte >> ignored === network[index]! >> ignored;
  });
}
