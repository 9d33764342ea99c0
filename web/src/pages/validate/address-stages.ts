/** What the address itself, the lists and the name servers told. */
import type { ValidationResult as Result, SubStatus } from "@mailvet/contract";
import { providerName } from "../../shared/provider-name.ts";
import { type Fact, type Outcome, type Stage, skipped, stage } from "./stage.ts";

/** The reasons that the text alone gives. */
const TEXT_REASONS: Partial<Record<SubStatus, [word: string, meaning: string]>> = {
  provider_syntax: [
    "not issued",
    "It is well-formed, but its provider never gives out such a name. So nobody was asked.",
  ],
  reserved_domain: [
    "reserved",
    "It is well-formed, but public mail never goes to this name. So nobody was asked.",
  ],
};

export function textStage({ details, sub_status, flags }: Result): Stage {
  const told = stage("text", "The text");
  if (!details.syntax_valid)
    return told({
      outcome: "bad",
      word: "malformed",
      meaning: details.syntax_error?.message ?? "It is not a well-formed address.",
      facts: details.syntax_error ? [["Broken rule", details.syntax_error.rule.replaceAll("_", " ")]] : [],
    });
  const facts: Fact[] = [
    ["Normalised", details.normalized_email],
    ...(details.canonical_email && details.canonical_email !== details.normalized_email
      ? ([["Same mailbox in its shortest spelling", details.canonical_email]] as const)
      : []),
    ["Team or machine mailbox", yesNo(details.is_role_based)],
    ["Carries a +tag", yesNo(details.is_subaddressed)],
  ];
  const reason = TEXT_REASONS[sub_status];
  if (reason) return told({ outcome: "bad", word: reason[0], meaning: reason[1], facts });
  const isTeam = details.is_role_based || flags.includes("no_reply");
  return told({
    outcome: isTeam ? "warn" : "good",
    word: isTeam ? "well-formed, a team's name" : "well-formed",
    meaning: "The address follows RFC 5321 and RFC 6531.",
    facts,
  });
}

export function listStage({ details, flags, sub_status }: Result): Stage {
  const told = stage("lists", "Known lists");
  if (!details.syntax_valid) return told(skipped("There is no domain to look up."));
  const isRelay = flags.includes("privacy_relay") || sub_status === "privacy_relay";
  const facts: Fact[] = [
    ["Throw-away service", yesNo(details.is_disposable)],
    ["Privacy relay", yesNo(isRelay)],
    ["Free mail provider", yesNo(details.is_free)],
    ["Provider", providerName(details.provider)],
  ];
  if (details.is_disposable)
    return told({
      outcome: "warn",
      word: "throw-away",
      meaning: "Mailboxes there live for minutes or days, and often anyone may read them.",
      facts,
    });
  if (isRelay)
    return told({
      outcome: "good",
      word: "privacy relay",
      meaning: "It forwards to a mailbox that its owner keeps to themselves.",
      facts,
    });
  return told({
    outcome: "good",
    word: "nothing against it",
    meaning: "The domain is on no list of throw-away services.",
    facts,
  });
}

/** What DNS said where it named no mail server that could be asked. */
const NAME_REASONS: Partial<Record<SubStatus, [outcome: Outcome, word: string, meaning: string]>> = {
  domain_not_found: ["bad", "no such domain", "The name servers say that this domain does not exist."],
  no_mail_server: ["bad", "no mail server", "The domain exists, but names neither a mail server nor a host."],
  null_mx: ["bad", "takes no mail", "The domain says so itself, by a null MX record (RFC 7505)."],
  unroutable_mail_server: [
    "bad",
    "not reachable",
    "Every mail server it names cannot be found, or is not on the public Internet.",
  ],
  dns_error: [
    "open",
    "no answer",
    "The name servers failed, which is not the same as a domain that does not exist.",
  ],
};

export function nameStage({ details, flags, sub_status }: Result): Stage {
  const told = stage("names", "Names (DNS)");
  if (!details.syntax_valid || flags.includes("dns_not_asked"))
    return told(skipped("The text had settled it already, or nobody was to be asked."));
  const facts: Fact[] = [["Domain", details.domain]];
  if (details.mx_host) facts.push(["Mail server", details.mx_host]);
  const reason = NAME_REASONS[sub_status];
  if (!details.dns_valid) {
    const [outcome, word, meaning] = reason ?? ["open", "no mail server found", "DNS named none to ask."];
    return told({ outcome, word, meaning, facts });
  }
  facts.push(
    ["SPF (who may send for it)", yesNo(details.has_spf)],
    ["DMARC (what to do with forgeries)", yesNo(details.has_dmarc)],
    ["MTA-STS (mail to it is encrypted)", yesNo(details.has_mta_sts)],
  );
  return told({
    outcome: "good",
    word: "takes mail",
    meaning: flags.includes("implicit_mx")
      ? "The domain names no mail server, so its own host stands in for one."
      : "The domain names a mail server.",
    facts,
  });
}

const yesNo = (is: boolean) => (is ? "yes" : "no");
