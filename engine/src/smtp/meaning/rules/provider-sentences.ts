/**
 * Sentences whose meaning depends on the provider. They are distinguished by the host name of the mail server, the
 * enhanced code, or the exact form of the reply.
 */

import { any, exactly } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

const RCPT = { stages: ["rcpt"] } as const;

/** Enhanced codes that are more specific than the text and the basic code. */
const STATUS_RULES: readonly Rule[] = [
  {
    id: "status-unauthenticated",
    category: "sender_rejected",
    enhanced: /^[45]\.7\.(?:26|27|32|40)$/,
    why: "this status is a sender that failed its authentication",
  },
  {
    // The registry has 7.30 for REQUIRETLS, Gmail for a DKIM signature that does not pass.
    id: "status-gmail-dkim",
    category: "sender_rejected",
    enhanced: /^[45]\.7\.30$/,
    words: any`\S*dkim`,
    why: "this status is a DKIM signature that failed",
  },
  {
    id: "status-encryption",
    category: "tls_required",
    enhanced: /^[45]\.7\.(?:10|11|30)$/,
    why: "this status asks for encryption",
  },
  {
    // The address that we send is valid by RFC 5321, so this is a parser that knows less, or a fault in the command.
    id: "status-address-syntax",
    category: "protocol_error",
    enhanced: /^5\.1\.3$/,
    words: any`
      (invalid|bad|malformed|illegal|incorrect|wrong) … ?({user}|syntax|format)
      (not|isnt) (an? )?(valid|legal|correct) … ?({user}|syntax|format)
    `,
    unless: any`
      (not|isnt) (recogni[sz]ed|known|found)
      unknown
      exist
      no such
    `,
    why: "1.3 is a complaint about the syntax of the address, and says nothing about the mailbox",
  },
  {
    id: "status-microsoft-throttle",
    category: "rate_limited",
    enhanced: /^4\.7\.(?:500|650)$/,
    why: "Microsoft slows addresses down with this status",
  },
  {
    id: "status-microsoft-recipient-rate",
    category: "rate_limited",
    enhanced: /^5\.2\.12[12]$/,
    mailbox: "exists",
    subject: "recipient",
    why: "Microsoft gives this status to a mailbox that receives more than its limit",
  },
];

export const SENTENCE_RULES: readonly Rule[] = [
  ...STATUS_RULES,
  // Microsoft 365: the directory edge rejects unknown names with the words other servers use for policy.
  ...phrases("mailbox_not_found", [
    [
      "microsoft-directory-edge",
      any`recipient address(es)? rejected access denied`,
      "Microsoft 365 refuses unknown names at the edge with 5.4.1",
      { ...RCPT, enhanced: /^5\.4\.1$/, mx: /outlook\.com$|office365|microsoft|^$/ },
    ],
    [
      "microsoft-directory-edge-signed",
      any`recipient address(es)? rejected access denied`,
      "Microsoft 365 refuses unknown names at the edge with 5.4.1, and signs with the name of its host",
      {
        ...RCPT,
        enhanced: /^5\.4\.1$/,
        token: exactly(/\.outlook\.com\b|\bas\(\d+\)|aka\.ms\/exosmtperrors/),
      },
    ],
    [
      "outlook-mailbox-unavailable",
      any`requested action not taken mailbox unavailable`,
      "Outlook.com and GMX say this, and nothing more, for missing mailboxes",
      {
        ...RCPT,
        codes: [550],
        unless: any`
          polic
          reputation
          \S*list
          ptr\b
          dns\b
          blocked
          ip\b
          @ip
          spam
          access denied
          sender
          limit
          reject
          or is\b
          or \S+
          invalid dns
          not allowed
          failure
          (try|retry) (again|later)
        `,
      },
    ],
    [
      "ironport-rejected",
      any`address rejected`,
      "IronPort refuses unknown names with 5.1.0",
      {
        ...RCPT,
        enhanced: /^5\.1\.0$/,
        unless: any`
      sender
      access denied
      recipient address rejected \S
    `,
      },
    ],
    [
      "refused-with-5-1-1",
      any`^((the|this) )?(recipient |user )?(address )?(rejected|refused)( \.)?$`,
      "the words give no reason, and 5.1.1 is a bad mailbox",
      { ...RCPT, enhanced: /^5\.1\.1$/ },
    ],
    [
      "symantec-mailbox-not-allowed",
      any`recipient mailbox is not allowed`,
      "Symantec says this for names it does not know",
      RCPT,
    ],
    ["comcast-not-our-customer", any`not our customer`, "Comcast says this for names it does not know", RCPT],
    [
      "cox-recipient-rejected",
      any`recipient rejected`,
      "Cox says this for names it does not know",
      { ...RCPT, mx: /cox\.net$/ },
    ],
    [
      "yandex-no-such-user",
      any`no such user`,
      "Yandex says so under a policy code",
      { ...RCPT, mx: /yandex/ },
    ],
  ]),
  ...phrases("sender_rejected", [
    [
      "bad-sender-status",
      any`^(invalid|bad|malformed) (mail )?address\b`,
      "1.7 is a malformed sender",
      { enhanced: /^5\.1\.7$/ },
    ],
    [
      "callout-guess",
      any`account or domain may not exist they may be blacklisted`,
      "cPanel says this of a sender whose domain it called back",
    ],
  ]),
  ...phrases("policy_rejected", [
    ["exchange-mail-flow-rule", any`transport\.rules\.rejectmessage`, "a mail flow rule refused the message"],
  ]),
  ...phrases("protocol_error", [
    ["postfix-data-first", any`^error no valid recipients$`, "Postfix says this to DATA without a recipient"],
  ]),
  // au and docomo hide a subscriber's own filter behind "unknown user" when no address is named.
  ...phrases("policy_rejected", [
    [
      "au-subscriber-filter",
      any`^user unknown$`,
      "au says this also when the subscriber's own filter refuses us",
      { ...RCPT, mx: /(?:ezweb|au)\.(?:ne\.)?(?:jp|com)$|kddi/ },
    ],
    [
      "mimecast-policy",
      any`
        polic
        blocked
        prohibition
        rejected
      `,
      "Mimecast's page for this code is about rules of the organisation",
      {
        codes: [550, 554],
        token: exactly(/mimecast\.(?:com|org)/),
        unless: any`
          \bspf
          dkim
          dmarc
          reputation
          recipient
          relay
          \S*list
        `,
      },
    ],
    ["icloud-bracket", any`^(cs|hm)\d\d\b`, "iCloud's bracketed code is a policy"],
    [
      "barracuda-blocked",
      any`permanent failure for one or more recipients blocked`,
      "Barracuda blocks by policy",
      RCPT,
    ],
    [
      "zoho-destination",
      any`rejected by destination domain`,
      "Zoho passes on a refusal by policy",
      { codes: [541] },
    ],
  ]),
  ...phrases("greylisted", [
    [
      "mimecast-internal-resource",
      any`internal resources? (are |is )?(temporarily )?(un|not )available`,
      "Mimecast greylists with these words",
      { codes: [451] },
    ],
  ]),
  ...phrases("ip_blocked", [
    [
      "t-online",
      any`ip @ip a problem occurred
      a problem occurred ask your postmaster`,
      "T-Online says this to addresses it does not trust",
    ],
    [
      "icloud-banner",
      any`not accepting connections`,
      "iCloud refuses distrusted addresses in its banner",
      { stages: ["banner"] },
    ],
    ["gmx-no-service", any`no smtp service`, "the banner refuses our address", { stages: ["banner"] }],
    ["sfr-abuse", any`gu eib \d\d`, "SFR saw abuse from our address"],
  ]),
  ...phrases("mailbox_full", [
    ["docomo-full", any`too much mail data`, "docomo says this of a full mailbox", RCPT],
  ]),
  ...phrases("rate_limited", [
    ["docomo-recipients", any`too many recipients`, "there were too many recipients"],
  ]),
  ...phrases("rate_limited", [
    [
      "microsoft-busy",
      any`server (is )?busy`,
      "Microsoft says busy when it slows an address down",
      { severity: 4, mx: /outlook\.com$|office365/ },
    ],
    [
      "microsoft-submission-quota",
      any`submission ?quota
      \S*submissionquota`,
      "a sending quota of ours is used up",
    ],
  ]),
  ...phrases("domain_not_accepted", [
    [
      "microsoft-tenant",
      any`
        tenantattribution
        mail-enabled subscriptions
        relay access denied attr
        hosted tenant
      `,
      "the domain is not set up at Microsoft",
    ],
  ]),
];
