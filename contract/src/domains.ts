/** What can be said of a mail domain as a whole: where its mail goes, who runs it, what it publishes. */
import { type Static, Type } from "typebox";
import { Count, Nullable, OneOf } from "./shape.ts";

export const DomainParams = Type.Object({
  domain: Type.String({
    description: "A domain such as `example.com`, in A-labels or in Unicode (percent-encoded).",
  }),
});

export const MAIL_ROUTE_KINDS = [
  "mx",
  "implicit",
  "null_mx",
  "none",
  "domain_not_found",
  "unroutable",
  "dns_error",
] as const;

const MailRoute = Type.Object({
  kind: OneOf(MAIL_ROUTE_KINDS, {
    description:
      "mx: by MX records. implicit: by the domain's own address (RFC 5321, 5.1). null_mx: it accepts no mail (RFC 7505). " +
      "none: neither MX nor address. domain_not_found: NXDOMAIN. unroutable: no mail host has a public address. " +
      "dns_error: the name servers did not tell. The list may grow.",
  }),
  hosts: Type.Array(
    Type.Object({
      host: Type.String(),
      priority: Nullable(Count("MX preference; lower goes first."), "Null where DNS was not clear about it."),
      addresses: Type.Array(Type.String(), { description: "Public addresses, IPv4 first." }),
    }),
    { description: "Best first." },
  ),
  is_partial: Type.Boolean({
    description: "There may be more hosts: a lookup failed, or there were too many.",
  }),
  reason: Nullable(Type.String(), "What went wrong, for unroutable and dns_error."),
});

const Policy = (what: string) =>
  Type.Object(
    {
      found: Nullable(
        Type.Boolean(),
        "Whether there is exactly one valid record; several are as good as none. Null: not found out.",
      ),
      name: Type.String({ description: "The name at which the records are." }),
      records: Type.Array(Type.String(), { description: "Their texts." }),
    },
    { description: what },
  );

export const DISPOSABLE_MATCHES = ["own_list", "domain", "mail_host"] as const;

export const DomainReport = Type.Object({
  domain: Type.String({ description: "In A-labels, lower case." }),
  unicode_domain: Type.String({ description: "As people read it." }),
  mail_route: MailRoute,
  provider: Type.String({
    description: 'Stable slug of the mail provider, "other", or "" without a mail server.',
  }),
  disposable: Type.Object({
    is_disposable: Type.Boolean(),
    matched_by: Nullable(
      OneOf(DISPOSABLE_MATCHES),
      "The operator's own list, the list of domains, or the list of mail hosts.",
    ),
  }),
  is_free: Type.Boolean({ description: "Anyone can open a mailbox there for free." }),
  is_privacy_relay: Type.Boolean({ description: "Its addresses are masks for mailboxes elsewhere." }),
  catchall: Type.Object(
    {
      is_catchall: Nullable(Type.Boolean(), "Whether it accepts mail for any name. Null: not found out."),
      confidence: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
      asked_for: Nullable(
        OneOf(["decoy", "postmaster"]),
        "Which recipient got the reply below: a made-up mailbox name, or postmaster.",
      ),
      outcome: Nullable(
        Type.String(),
        "What the reply means: accepted, not_found, greylisted, rate_limited, timeout …",
      ),
      mx_host: Type.String({ description: "The mail server that answered." }),
      smtp_code: Type.Integer({ description: "Code of its reply; 0 when there was none." }),
      smtp_enhanced_code: Type.String({ description: "Enhanced code of that reply, such as 5.1.1." }),
      smtp_message: Type.String({ description: "Text of that reply, cleaned and cut." }),
    },
    { description: "Found by asking for a made-up mailbox, at most once a day for each domain." },
  ),
  spf: Policy("Who may send mail from the domain (RFC 7208)."),
  dmarc: Policy(
    "What to do with mail that fails (RFC 7489); a subdomain may be under its organisation's record.",
  ),
  mta_sts: Policy("Whether mail to the domain must be encrypted (RFC 8461): the DNS record."),
  suggestion: Nullable(Type.String(), "The domain that was probably meant."),
  request_id: Type.String(),
  performance: Type.Object({ response_time_ms: Count("Milliseconds from question to answer.") }),
  metadata: Type.Object({
    timestamp: Type.Number({ description: "Unix time in seconds, with a fractional part." }),
    plan_tier: Type.String({ description: 'Plan of the caller; "local" from the command line.' }),
    sandbox: Type.Optional(Type.Boolean({ description: "Present and true for sandbox domains." })),
  }),
});
export type DomainReport = Static<typeof DomainReport>;
