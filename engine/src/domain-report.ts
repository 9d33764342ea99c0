/**
 * Converts the evidence of a domain check to the contract's `DomainReport`.
 *
 * A domain is inspected by checking its postmaster address: every stage of that check is about the domain, RFC 5321
 * (4.5.1) requires the mailbox, and the planner probes a decoy beside it. Whether postmaster exists is not reported;
 * a server that rejects it is only taken as evidence against catch-all.
 */
import type { DomainReport } from "@mailvet/contract";
import type { PolicyRecords } from "./dns/mail-policies.ts";
import type { Evidence } from "./evidence.ts";
import { sanitizeText } from "./report.ts";

/** The address that is checked in order to inspect a domain. */
export function postmasterOf(domain: string): string {
  return `postmaster@${domain}`;
}

/** Why this cannot be a public mail domain, as a sentence; undefined when it may be one. */
export function domainSyntaxError({ address, syntaxError, specialUse }: Evidence): string | undefined {
  if (syntaxError?.rule === "several_at") return "This is an address; enter only its domain."; // postmaster@ann@…
  if (!address) return syntaxError?.message ?? "This is not a domain.";
  return specialUse === undefined ? undefined : `This domain has no public mail: ${specialUse}.`;
}

export type DomainRequest = {
  requestId: string;
  planTier: string;
  responseTimeMs: number;
  /** Overrides the domain in the evidence; used by the sandbox. */
  domain?: { ascii: string; unicode: string };
};

export function domainReportOf(evidence: Evidence, request: DomainRequest): DomainReport {
  const { address, disposable } = evidence;
  const { ascii, unicode } = request.domain ?? { ascii: address!.domain, unicode: address!.unicodeDomain };
  return {
    domain: ascii,
    unicode_domain: unicode,
    mail_route: mailRouteOf(evidence),
    provider: evidence.provider ?? "",
    disposable: { is_disposable: disposable !== undefined, matched_by: disposable ?? null },
    is_free: evidence.isFree === true,
    is_privacy_relay: evidence.isPrivacyRelay === true,
    is_agent_mailbox: evidence.isAgentMailbox === true,
    catchall: catchallOf(evidence),
    spf: policyOf(evidence, "spf", ascii),
    dmarc: policyOf(evidence, "dmarc", `_dmarc.${ascii}`),
    mta_sts: policyOf(evidence, "mtaSts", `_mta-sts.${ascii}`),
    suggestion: evidence.suggestion?.email.split("@").at(-1) ?? null,
    request_id: request.requestId,
    performance: { response_time_ms: Math.round(request.responseTimeMs) },
    metadata: { timestamp: Date.now() / 1000, plan_tier: request.planTier },
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

/**
 * Confidence of "not catch-all" when postmaster is rejected: the server knows its mailboxes, or rejects this name on
 * purpose.
 */
const POSTMASTER_REJECTED_CONFIDENCE = 0.85;

function catchallOf({ mailbox, decoy }: Evidence): DomainReport["catchall"] {
  const asked = decoy ?? mailbox;
  const isRefused = asked?.answer === "not_found";
  const isCatchall = decoy?.answer === "accepted" ? true : isRefused ? false : null;
  const confidence = decoy ? decoy.confidence : POSTMASTER_REJECTED_CONFIDENCE;
  return {
    is_catchall: isCatchall,
    confidence: isCatchall === null ? null : confidence,
    asked_for: asked ? (decoy ? "decoy" : "postmaster") : null,
    outcome: asked?.answer ?? null,
    mx_host: asked?.mxHost ?? "",
    smtp_code: asked?.reply?.code ?? 0,
    smtp_enhanced_code: asked?.reply?.enhanced ?? "",
    smtp_message: sanitizeText(asked?.reply?.text ?? ""),
  };
}

function policyOf(
  { route, policies }: Evidence,
  kind: keyof PolicyRecords,
  usualName: string,
): DomainReport["spf"] {
  const domainExists = route?.kind !== "domain_not_found";
  const { name = usualName, texts = [] } = policies?.records?.[kind] ?? {};
  return {
    found: domainExists ? (policies?.[kind] ?? null) : false,
    name,
    records: texts.map(cleanedRecord),
  };
}

function cleanedRecord(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ");
}
