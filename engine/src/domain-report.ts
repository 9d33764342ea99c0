/**
 * What was found out about a domain, in the words of the contract.
 *
 * A domain is inspected by checking its postmaster: every stage of that check is about the domain, the mailbox is one that
 * RFC 5321 (4.5.1) requires, and the planner asks for a decoy beside it. Nothing is concluded from whether the postmaster
 * exists, except that a server which refuses it does not accept every name.
 */
import type { DomainReport } from "@mailvet/contract";
import type { PolicyRecords } from "./dns/mail-policies.ts";
import type { Evidence } from "./evidence.ts";
import { cleaned } from "./report.ts";

/** The address whose check inspects a domain. */
export function postmasterOf(domain: string): string {
  return `postmaster@${domain}`;
}

/** Why there is no such public domain, in words for people; undefined when there may be one. */
export function domainSyntaxError({ address, complaint, specialUse }: Evidence): string | undefined {
  if (!address) return complaint?.message ?? "This is no domain.";
  return specialUse === undefined ? undefined : `No mail is delivered there: ${specialUse}.`;
}

export type DomainRequest = {
  requestId: string;
  planTier: string;
  responseTimeMs: number;
  /** Instead of the domain in the evidence, for made-up evidence. */
  domain?: { ascii: string; unicode: string };
};

export function domainReportOf(evidence: Evidence, asking: DomainRequest): DomainReport {
  const { address, disposable } = evidence;
  const { ascii, unicode } = asking.domain ?? { ascii: address!.domain, unicode: address!.unicodeDomain };
  return {
    domain: ascii,
    unicode_domain: unicode,
    mail_route: mailRouteOf(evidence),
    provider: evidence.provider ?? "",
    disposable: { is_disposable: disposable !== undefined, matched_by: disposable ?? null },
    is_free: evidence.isFree === true,
    is_privacy_relay: evidence.isPrivacyRelay === true,
    catchall: catchallOf(evidence),
    spf: policyOf(evidence, "spf", ascii),
    dmarc: policyOf(evidence, "dmarc", `_dmarc.${ascii}`),
    mta_sts: policyOf(evidence, "mtaSts", `_mta-sts.${ascii}`),
    suggestion: evidence.suggestion?.email.split("@").at(-1) ?? null,
    request_id: asking.requestId,
    performance: { response_time_ms: Math.round(asking.responseTimeMs) },
    metadata: { timestamp: Date.now() / 1000, plan_tier: asking.planTier },
  };
}

type ReportedRoute = DomainReport["mail_route"];

const ROUTE_KINDS = {
  null_mx: "null_mx",
  no_mail_server: "none",
  domain_not_found: "domain_not_found",
  unroutable: "unroutable",
  dns_error: "dns_error",
} as const satisfies Record<string, ReportedRoute["kind"]>;

function mailRouteOf({ route }: Evidence): ReportedRoute {
  if (!route) return { kind: "dns_error", hosts: [], is_partial: true, reason: "timeout" };
  if (route.kind === "mail_hosts") {
    const hosts = route.hosts.map(({ name, preference, addresses }) => ({
      host: name,
      priority: route.implicit ? null : preference,
      addresses,
    }));
    const kind = route.implicit ? "implicit" : "mx";
    return { kind, hosts, is_partial: route.isPartial, reason: null };
  }
  const named = "hosts" in route ? route.hosts : [];
  return {
    kind: ROUTE_KINDS[route.kind],
    hosts: named.map((host) => ({ host, priority: null, addresses: [] })),
    is_partial: route.kind === "dns_error",
    reason: "reason" in route ? route.reason : null,
  };
}

/** What a refused postmaster is worth: a server that knows its mailboxes, or one that refuses this name on purpose. */
const POSTMASTER_REFUSED = 0.85;

function catchallOf({ mailbox, decoy }: Evidence): DomainReport["catchall"] {
  const asked = decoy ?? mailbox;
  const isRefused = asked?.answer === "not_found";
  const isCatchall = decoy?.answer === "accepted" ? true : isRefused ? false : null;
  const confidence = decoy ? decoy.confidence : POSTMASTER_REFUSED;
  return {
    is_catchall: isCatchall,
    confidence: isCatchall === null ? null : confidence,
    asked_for: asked ? (decoy ? "decoy" : "postmaster") : null,
    outcome: asked?.answer ?? null,
    mx_host: asked?.mxHost ?? "",
    smtp_code: asked?.reply?.code ?? 0,
    smtp_enhanced_code: asked?.reply?.enhanced ?? "",
    smtp_message: cleaned(asked?.reply?.text ?? ""),
  };
}

function policyOf(
  { route, policies }: Evidence,
  kind: keyof PolicyRecords,
  usualName: string,
): DomainReport["spf"] {
  const isThere = route?.kind !== "domain_not_found";
  const { name = usualName, texts = [] } = policies?.records?.[kind] ?? {};
  return { found: isThere ? (policies?.[kind] ?? null) : false, name, records: texts.map(cleanedRecord) };
}

function cleanedRecord(text: string): string {
  return text.replace(/\p{C}+/gu, " ");
}
