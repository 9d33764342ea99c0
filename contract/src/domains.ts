/** Report on a mail domain: mail route, provider, catch-all status and published policies. */
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
      "mx: MX records. implicit: the address record of the domain (RFC 5321, 5.1). null_mx: the domain accepts no mail " +
      "(RFC 7505). none: neither MX nor address record. domain_not_found: NXDOMAIN, or no public " +
      "address at all. unroutable: the domain is public, its mail hosts are not. dns_error: the lookup failed. The list may grow.",
  }),
  hosts: Type.Array(
    Type.Object({
      host: Type.String(),
      priority: Nullable(
        Count("MX preference; lower is preferred."),
        "Null if DNS gives no unambiguous value.",
      ),
      addresses: Type.Array(Type.String(), { description: "Public addresses, IPv4 first." }),
    }),
    { description: "Most preferred first." },
  ),
  is_partial: Type.Boolean({
    description: "Whether hosts may be missing: a lookup failed, or there were too many.",
  }),
  reason: Nullable(Type.String(), "Cause of dns_error."),
});

const Policy = (what: string) =>
  Type.Object(
    {
      found: Nullable(
        Type.Boolean(),
        "Whether there is exactly one valid record; several count as none. Null: unknown.",
      ),
      name: Type.String({ description: "DNS name of the records." }),
      records: Type.Array(Type.String(), { description: "Texts of the records." }),
    },
    { description: what },
  );

export const DISPOSABLE_MATCHES = ["own_list", "domain", "mail_host"] as const;

export const DomainReport = Type.Object({
  domain: Type.String({ description: "A-labels, lower case." }),
  unicode_domain: Type.String({ description: "Unicode form." }),
  mail_route: MailRoute,
  provider: Type.String({
    description: 'Stable slug of the mail provider, "other", or "" without a mail server.',
  }),
  disposable: Type.Object({
    is_disposable: Type.Boolean(),
    matched_by: Nullable(
      OneOf(DISPOSABLE_MATCHES),
      "Matching list: LOCAL_LISTS of the operator, disposable domains, or mail hosts of disposable domains.",
    ),
  }),
  is_free: Type.Boolean({ description: "Whether it is a free mailbox provider." }),
  is_privacy_relay: Type.Boolean({ description: "Whether its addresses forward to mailboxes elsewhere." }),
  is_agent_mailbox: Type.Boolean({ description: "Whether its mailboxes are made for software agents." }),
  catchall: Type.Object(
    {
      is_catchall: Nullable(Type.Boolean(), "Whether it accepts mail for any mailbox. Null: unknown."),
      confidence: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
      asked_for: Nullable(
        OneOf(["decoy", "postmaster"]),
        "Recipient of the reply below: a made-up mailbox, or postmaster.",
      ),
      outcome: Nullable(
        Type.String(),
        "Meaning of the reply: accepted, not_found, greylisted, rate_limited, timeout …",
      ),
      mx_host: Type.String({ description: "Mail server that replied." }),
      smtp_code: Type.Integer({ description: "Code of its reply; 0 without one." }),
      smtp_enhanced_code: Type.String({ description: "Enhanced status code of the reply, such as 5.1.1." }),
      smtp_message: Type.String({ description: "Text of the reply, sanitised and truncated." }),
    },
    { description: "Catch-all test with a made-up mailbox, at most once a day per domain." },
  ),
  spf: Policy("Who may send mail from the domain (RFC 7208)."),
  dmarc: Policy(
    "What to do with mail that fails authentication (RFC 7489); a subdomain may inherit the record of its organisation.",
  ),
  mta_sts: Policy("Whether mail to the domain must be encrypted (RFC 8461): the DNS record."),
  suggestion: Nullable(Type.String(), "Probable intended domain."),
  request_id: Type.String(),
  performance: Type.Object({ response_time_ms: Count("Response time in milliseconds.") }),
  metadata: Type.Object({
    timestamp: Type.Number({ description: "Unix time in seconds, with a fractional part." }),
    plan_tier: Type.String({ description: 'Plan of the caller; "local" for the command line.' }),
    sandbox: Type.Optional(Type.Boolean({ description: "Present and true for sandbox domains." })),
  }),
});
export type DomainReport = Static<typeof DomainReport>;
