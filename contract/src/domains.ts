/** Report on a mail domain: mail route, provider, policies. */
import { type Static, Type } from "typebox";
import { Count, Nullable, OneOf } from "./shape.ts";

export const DomainParams = Type.Object({
  domain: Type.String({
    description: "Domain such as `example.com`, in A-labels or percent-encoded Unicode.",
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
      "`mx`: MX records. `implicit`: address record of the domain (RFC 5321, 5.1). `null_mx`: accepts no mail (RFC 7505). " +
      "`none`: neither MX nor address record. `domain_not_found`: NXDOMAIN. `unroutable`: no mail host has a public " +
      "address. `dns_error`: DNS lookup failed. Values may be added.",
  }),
  hosts: Type.Array(
    Type.Object({
      host: Type.String(),
      priority: Nullable(Count("MX preference. Lower is preferred."), "Null if unknown."),
      addresses: Type.Array(Type.String(), { description: "Public addresses, IPv4 first." }),
    }),
    { description: "Mail hosts in order of preference." },
  ),
  is_partial: Type.Boolean({
    description: "Whether hosts may be missing, because a lookup failed or there were too many.",
  }),
  reason: Nullable(Type.String(), "What went wrong, for `unroutable` and `dns_error`."),
});

const Policy = (what: string) =>
  Type.Object(
    {
      found: Nullable(
        Type.Boolean(),
        "Whether exactly one valid record exists; several are treated as none. Null if unknown.",
      ),
      name: Type.String({ description: "DNS name of the records." }),
      records: Type.Array(Type.String(), { description: "Text of the records." }),
    },
    { description: what },
  );

export const DISPOSABLE_MATCHES = ["own_list", "domain", "mail_host"] as const;

export const DomainReport = Type.Object({
  domain: Type.String({ description: "Domain in A-labels, lower case." }),
  unicode_domain: Type.String({ description: "Domain in Unicode." }),
  mail_route: MailRoute,
  provider: Type.String({
    description: 'Stable slug of the mail provider, "other", or "" without a mail server.',
  }),
  disposable: Type.Object({
    is_disposable: Type.Boolean(),
    matched_by: Nullable(
      OneOf(DISPOSABLE_MATCHES),
      "Which list matched: the operator's own, the domain list, or the mail host list.",
    ),
  }),
  is_free: Type.Boolean({ description: "Whether anyone can open a mailbox for free." }),
  is_privacy_relay: Type.Boolean({
    description: "Whether its addresses forward to hidden mailboxes elsewhere.",
  }),
  catchall: Type.Object(
    {
      is_catchall: Nullable(
        Type.Boolean(),
        "Whether the domain accepts mail for any local part. Null if unknown.",
      ),
      confidence: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
      asked_for: Nullable(
        OneOf(["decoy", "postmaster"]),
        "Recipient of the reply below: a random mailbox name, or postmaster.",
      ),
      outcome: Nullable(
        Type.String(),
        "Meaning of the reply: `accepted`, `not_found`, `greylisted`, `rate_limited`, `timeout` and others.",
      ),
      mx_host: Type.String({ description: "Mail server that replied." }),
      smtp_code: Type.Integer({ description: "SMTP code of the reply. 0 if there was none." }),
      smtp_enhanced_code: Type.String({ description: "Enhanced status code of the reply, such as 5.1.1." }),
      smtp_message: Type.String({ description: "Text of the reply, sanitised and truncated." }),
    },
    { description: "Catch-all test: asks for a random mailbox name, at most once a day per domain." },
  ),
  spf: Policy("SPF record (RFC 7208)."),
  dmarc: Policy("DMARC record (RFC 7489), of the organisational domain where it applies."),
  mta_sts: Policy("MTA-STS record in DNS (RFC 8461)."),
  suggestion: Nullable(Type.String(), "Suggested domain, if this one looks like a typo."),
  request_id: Type.String(),
  performance: Type.Object({ response_time_ms: Count("Processing time in milliseconds.") }),
  metadata: Type.Object({
    timestamp: Type.Number({ description: "Unix time in seconds, with fraction." }),
    plan_tier: Type.String({ description: 'Plan of the caller, or "local" on the command line.' }),
    sandbox: Type.Optional(Type.Boolean({ description: "Present and true for sandbox domains." })),
  }),
});
export type DomainReport = Static<typeof DomainReport>;
