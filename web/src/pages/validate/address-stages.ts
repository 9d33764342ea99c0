/** Stages that need no mail server: syntax, reputation lists, DNS. */
import type { ValidationResult as Result, SubStatus } from "@mailvet/contract";
import { providerName } from "../../components/provider-name.ts";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";
import { type Fact, type Outcome, type Stage, skipped, stage } from "./stage.ts";

export function syntaxStage({ details, sub_status, flags }: Result): Stage {
  const { syntax } = messages;
  const build = stage("syntax", syntax.title);
  if (!details.syntax_valid) {
    const [word, meaning] = syntax.malformed;
    return build({
      outcome: "bad",
      word,
      meaning: details.syntax_error?.message ?? meaning,
      facts: details.syntax_error ? [[syntax.rule, details.syntax_error.rule]] : [],
    });
  }
  const facts: Fact[] = [
    [syntax.normalized, details.normalized_email],
    ...(details.canonical_email && details.canonical_email !== details.normalized_email
      ? ([[syntax.canonical, details.canonical_email]] as const)
      : []),
    [syntax.role, yesNo(details.is_role_based)],
    [syntax.subaddressed, yesNo(details.is_subaddressed)],
  ];
  const reason = syntax.reasons[sub_status];
  if (reason) return build({ outcome: "bad", word: reason[0], meaning: reason[1], facts });
  const isRole = details.is_role_based || flags.includes("no_reply");
  return build({
    outcome: isRole ? "warn" : "good",
    word: isRole ? syntax.roleAddress : syntax.wellFormed,
    meaning: syntax.meaning,
    facts,
  });
}

export function listStage({ details, flags, sub_status }: Result): Stage {
  const { lists } = messages;
  const build = stage("lists", lists.title);
  if (!details.syntax_valid) return build(skipped(lists.noDomain));
  const isRelay = flags.includes("privacy_relay") || sub_status === "privacy_relay";
  const isAgent = flags.includes("agent_mailbox") || sub_status === "agent_mailbox";
  const facts: Fact[] = [
    [lists.disposable, yesNo(details.is_disposable)],
    [lists.relay, yesNo(isRelay)],
    [lists.agent, yesNo(isAgent)],
    [lists.free, yesNo(details.is_free)],
    [lists.provider, providerName(details.provider)],
  ];
  const [word, meaning] = details.is_disposable
    ? lists.disposableFound
    : isRelay
      ? lists.relayFound
      : isAgent
        ? lists.agentFound
        : lists.clean;
  return build({ outcome: details.is_disposable ? "warn" : "good", word, meaning, facts });
}

/** Outcomes of lookups that found no usable mail server. */
const DNS_OUTCOMES: Partial<Record<SubStatus, Outcome>> = {
  domain_not_found: "bad",
  no_mail_server: "bad",
  null_mx: "bad",
  unroutable_mail_server: "bad",
};

export function dnsStage({ details, flags, sub_status }: Result): Stage {
  const { dns } = messages;
  const build = stage("dns", dns.title);
  if (!details.syntax_valid || flags.includes("dns_not_asked")) return build(skipped(dns.skipped));
  const facts: Fact[] = [[dns.domain, details.domain]];
  if (details.mx_host) facts.push([dns.mailServer, details.mx_host]);
  if (!details.dns_valid) {
    const [word, meaning] = dns.reasons[sub_status] ?? dns.noneFound;
    return build({ outcome: DNS_OUTCOMES[sub_status] ?? "open", word, meaning, facts });
  }
  facts.push(
    [dns.spf, yesNo(details.has_spf)],
    [dns.dmarc, yesNo(details.has_dmarc)],
    [dns.mtaSts, yesNo(details.has_mta_sts)],
  );
  return build({
    outcome: "good",
    word: dns.acceptsMail,
    meaning: flags.includes("implicit_mx") ? dns.implicitMx : dns.mx,
    facts,
  });
}

const yesNo = (is: boolean) => (is ? common.yes : common.no);
