/**
 * Tokens in the replies of large providers. A token decides, whatever the text around it and the enhanced code say:
 * it is set per reason, the rest is generic.
 */

import type { ReplyCategory } from "../category.ts";
import { any, exactly } from "../phrase.ts";
import { type Rule, tokens } from "../rule.ts";

/** Google ends each reply with a link to the page that explains it; the page's name is the reason. */
const GOOGLE: readonly Rule[] = [
  ...tokens("mailbox_not_found", [
    ["google-no-such-user", /\?p=nosuchuser/, "Google's link says NoSuchUser", { stages: ["rcpt"] }],
  ]),
  ...tokens("mailbox_disabled", [
    ["google-disabled-user", /\?p=disableduser/, "Google's link says DisabledUser", { stages: ["rcpt"] }],
  ]),
  ...tokens("mailbox_full", [
    ["google-over-quota", /\?p=overquota/, "Google's link says OverQuota", { stages: ["rcpt"] }],
  ]),
  ...tokens("rate_limited", [
    [
      "google-receiving-rate",
      /\?p=receivingrate/,
      "Google says this user is receiving too fast",
      { mailbox: "exists" },
    ],
    [
      "google-rate",
      /\?p=(?:unsolicitedratelimit|toomanyrecipients|\w*limit)/,
      "Google's link names a limit on us",
    ],
  ]),
  ...tokens("ip_blocked", [
    ["google-ip", /\?p=(?:unsolicitedip|notauthorized|ipv6auth)/, "Google's link is about our address"],
  ]),
  ...tokens("sender_rejected", [
    [
      "google-sender",
      /\?p=(?:dmarcrejection|dmarc\w*|unauthenticated\w*|helo\b)/,
      "Google's link is about our identity",
      { unless: any`(sequence|first)` },
    ],
  ]),
  ...tokens("policy_rejected", [
    [
      "google-message",
      /\?p=(?:unsolicitedmessage|blockedmessage|rfcmessage\w*)/,
      "Google's link is about the message",
    ],
  ]),
  ...tokens("message_too_big", [["google-size", /\?p=maxsize/, "Google's link is about the size"]]),
  ...tokens("auth_required", [
    ["google-login", /\?p=(?:wantauth|badcredentials)/, "Google's link asks for a login"],
  ]),
];

const MICROSOFT: readonly Rule[] = [
  ...tokens("mailbox_not_found", [
    [
      "outlook-no-such-user",
      /\bs20170\d{5}\b/,
      "Outlook.com marks missing mailboxes with this number",
      { stages: ["rcpt"] },
    ],
    [
      "exchange-recipient-not-found",
      /resolver\.adr\.\w*notfound|\brecipient(?: \S+)? not found by smtp address lookup/,
      "Exchange looked the address up and found nobody",
      { stages: ["rcpt"] },
    ],
  ]),
  ...tokens("ip_blocked", [
    [
      "outlook-block-list",
      /\((?:s3140|s3150)\)|\b(?:s3140|s3150)\b/,
      "Outlook.com lists our network (S3140, S3150)",
    ],
    [
      "outlook-policy-code",
      /\b(?:sc-00[1-4]|dy-00[12]|ou-00[12])\b/,
      "Outlook.com's code is about our address",
    ],
  ]),
  ...tokens("rate_limited", [["outlook-rate-code", /\brp-00[123]\b/, "Outlook.com's code is a limit on us"]]),
];

const YAHOO: readonly Rule[] = [
  ...tokens("rate_limited", [
    [
      "yahoo-deferral",
      /\[?\bts+\d{2}\b|\bipts\d{2}\b/,
      "Yahoo's code is a deferral of our mail",
      { severity: 4, unless: any`permanently` },
    ],
    ["yahoo-deferral-number", /\b4\.16\.5\d\b/, "Yahoo's number is a deferral of our mail", { severity: 4 }],
    [
      "yahoo-deferral-page",
      /yahoo\.com\/help\/us\/mail\/defer/,
      "Yahoo's page is about deferrals",
      { severity: 4 },
    ],
  ]),
  ...tokens("ip_blocked", [
    [
      "yahoo-block",
      /\[(?:bl\d{2}|ts+\d{2}|ipts\d{2})\]|\bbl2[13]\b/,
      "Yahoo's code is a block of our address",
    ],
    [
      "aol-address",
      /\b(?:rtr:(?:bb|du|rd|sc|bl|bg|ch)|con:b\d|rly:(?:b2|bl|ir|b3))\b/,
      "AOL's code is about our address",
    ],
  ]),
  ...tokens("rate_limited", [
    ["aol-rate", /\b(?:dyn:t\d|rly:(?:b1|ch\d?))\b/, "AOL's code is a limit on us"],
  ]),
  ...tokens("sender_rejected", [
    ["yahoo-sender", /\((?:au\d{2})\)|\bvs1-mf\b|\brly:sn\b|\bdmarc:/, "the code is about our sender"],
  ]),
  ...tokens("policy_rejected", [
    ["yahoo-message", /\[ph\d{2}\]|\bhvu:b\d|\brly:bd\b/, "the code is about the message"],
  ]),
];

/** Orange, La Poste and SFR: a prefix, then the number that decides. */
const FRENCH_NUMBER: Record<string, ReplyCategory> = {
  "416|418": "mailbox_not_found",
  "417": "mailbox_full",
  "420|426": "mailbox_disabled",
  "101|102|103|106|107|108|510|630": "ip_blocked",
  "104": "rate_limited",
  "401|403|404|405|406|415|421|517": "sender_rejected",
  "305|402": "auth_required",
  "506|507|513": "policy_rejected",
  "511|512|514|515|516": "message_too_big",
  "105|109|201|423|424|505|999": "temporary_failure",
};
const FRENCH: readonly Rule[] = Object.entries(FRENCH_NUMBER).map(([numbers, category]) => ({
  id: `french-provider-${category.replaceAll("_", "-")}`,
  category,
  token: exactly(new RegExp(String.raw`\b(?:ofr|lpn|ouk|sfr)(?:[a-z]|\d)*_?(?:${numbers})\b`)),
  why: "the number at the end of the reply is the provider's reason",
}));

/** NetEase (163, 126, yeah): two letters for the stage, three for the reason. */
const NETEASE: readonly Rule[] = [
  ...tokens("rate_limited", [
    [
      "netease-frequency",
      /\b(?:hl|mi|rp|dt|wm):(?:\w?fc|\w?cc|cel|dmc|ccl|drc|sfq|qrc|trc|stc|rcl)\b/,
      "NetEase's token counts what we send",
    ],
  ]),
  ...tokens("ip_blocked", [
    [
      "netease-address",
      /\b(?:hl|mi|rp|dt|wm):(?:rep|rbl|rdn|nrr|ihu|ipb|bli|mep|isp|ibl)\b/,
      "NetEase's token is about our address",
    ],
  ]),
  ...tokens("sender_rejected", [
    [
      "netease-sender",
      /\b(?:mi|dt|wm|hl):(?:spb|blu|sum|spf|nvl|sfr|eme)\b/,
      "NetEase's token is about our sender",
    ],
  ]),
  ...tokens("greylisted", [
    ["netease-greylist", /\b(?:dt|mi|rp|hl):gry\b/, "NetEase's token is greylisting"],
  ]),
  ...tokens("policy_rejected", [
    ["netease-spam", /\b(?:dt|mi|rp|hl):(?:spm|spt|vir|atc)\b/, "NetEase's token is about the message"],
  ]),
];

/** Naver, Daum and Nate: one code word. */
const KOREAN: readonly Rule[] = [
  ...tokens("mailbox_not_found", [
    ["korean-user", /\brusr\w?\b/, "the code word is about the user", { stages: ["rcpt"] }],
  ]),
  ...tokens("mailbox_disabled", [
    ["korean-account", /\bract\w?\b/, "the code word is about the account", { stages: ["rcpt"] }],
  ]),
  ...tokens("policy_rejected", [["korean-deny", /\brdeny\b/, "the code word is a local refusal"]]),
  ...tokens("rate_limited", [["korean-rate", /\bccrt\b/, "the code word is a limit on us"]]),
];

/** Cable and hosting companies in North America. */
const AMERICAN: readonly Rule[] = [
  ...tokens("rate_limited", [
    [
      "cable-rate",
      /\baup#(?:cxcnct|cxmxrt|(?:in|i|o|out)-?1(?:3\d\d|4\d\d|5[4568]\d))/,
      "the AUP code is a limit on us",
    ],
    ["comcast-rate", /\brl\d{6}\b/, "Comcast's RL code is a limit on us"],
    ["godaddy-rate", /\bib(?:007|504|510|6\d\d)\b/, "GoDaddy's code is a limit on us"],
  ]),
  ...tokens("sender_rejected", [
    [
      "cable-sender",
      /\baup#(?:cxsndr|cxsmtp|(?:in|i|o|out)-?1(?:1[6-9]\d|50\d|52\d))/,
      "the AUP code is about our sender",
    ],
    ["godaddy-sender", /\bib5\d\d\b/, "GoDaddy's code is about our sender"],
  ]),
  ...tokens("message_too_big", [
    ["cable-size", /\baup#(?:in|i|o|out)-?153\d/, "the AUP code is about the size"],
  ]),
  ...tokens("policy_rejected", [
    ["cable-policy", /\baup#(?:cxthrt|cxmj|urlbl)/, "the AUP code is about the message"],
    ["godaddy-content", /\bib(?:2\d\d|7\d\d)\b/, "GoDaddy's code is about the message"],
  ]),
  ...tokens("temporary_failure", [
    ["godaddy-later", /\bib101\b/, "GoDaddy's server is not taking mail right now"],
    ["cable-later", /\baup#(?:in|i|o|out)-?109\d/, "the AUP code says later"],
  ]),
  ...tokens("auth_required", [["godaddy-login", /\bib401\b/, "GoDaddy's code asks for a login"]]),
  ...tokens("ip_blocked", [
    [
      "cable-address",
      /\baup#/,
      "the AUP code is about our address",
      {
        unless: any`
        (user unknown|not found|not exist|recipient rejected)
        {user} … (doesnt exist|not exist|unknown|not found|invalid)
      `,
      },
    ],
    ["comcast-address", /\bbl\d{5,6}\b/, "Comcast's BL code is about our address"],
    ["godaddy-address", /\bib[01]\d\d\b/, "GoDaddy's code is about our address"],
    ["att-address", /dnsbl:(?:att)?rbl|_is_blocked/, "AT&T lists our address"],
  ]),
];

/** i.ua explains each rejection on a numbered page. */
const I_UA_PAGE: Record<string, ReplyCategory> = {
  "1|6": "domain_not_accepted",
  "2": "mailbox_not_found",
  "3": "mailbox_disabled",
  "4": "mailbox_full",
  "5": "rate_limited",
  "7|8": "sender_rejected",
  "9": "ip_blocked",
  "10": "policy_rejected",
};
const I_UA: readonly Rule[] = Object.entries(I_UA_PAGE).map(([pages, category]) => ({
  id: `i-ua-${category.replaceAll("_", "-")}`,
  category,
  token: exactly(new RegExp(String.raw`\.i\.ua/err/(?:${pages})\b`)),
  why: "the page it links to names the reason",
}));

const FACEBOOK: readonly Rule[] = [
  ...tokens("mailbox_not_found", [
    ["facebook-user", /\b(?:rcp-p1|int-p[134])\b/, "Facebook's code is a missing user", { stages: ["rcpt"] }],
  ]),
  ...tokens("mailbox_disabled", [
    ["facebook-deactivated", /\brcp-t4\b/, "Facebook's code is a deactivated user", { stages: ["rcpt"] }],
  ]),
  ...tokens("policy_rejected", [
    [
      "facebook-preferences",
      /\b(?:rcp-p[23]|pol-p[567]|msg-p[23])\b/,
      "Facebook's code is the user's choice or the content",
    ],
  ]),
  ...tokens("ip_blocked", [
    ["facebook-address", /\b(?:pol-[pt]\d|dns-p3|dns-t2)\b/, "Facebook's code is about our address"],
  ]),
  ...tokens("sender_rejected", [
    ["facebook-sender", /\bdns-(?:p[12]|t1)\b/, "Facebook's code is about our sender"],
  ]),
  ...tokens("rate_limited", [
    ["facebook-rate", /\b(?:con-t\d|msg-t1)\b/, "Facebook's code is a limit on us"],
  ]),
  ...tokens("temporary_failure", [["facebook-later", /\brcp-t1\b/, "Facebook has trouble of its own"]]),
];

/** Sina's list of replies explains this one as a sender address that differs from the account. */
const SINA: readonly Rule[] = tokens("policy_rejected", [
  [
    "address-of-whom",
    /^mail address invalid\.?$/,
    "it does not say whose address it means",
    { codes: [554], stages: ["rcpt"] },
  ],
]);

/** The tail is a session's id, which may be any word. */
const STRATO: readonly Rule[] = tokens("mailbox_not_found", [
  [
    "mxin501",
    /\bmxin501 mailbox (?:\S{1,320} )?unknown\b/,
    "the code is an unknown mailbox",
    { severity: 5, stages: ["rcpt"] },
  ],
]);

/** Links that name the reason, from any provider. */
const LINKS: readonly Rule[] = [
  ...tokens("sender_rejected", [
    ["spf-link", /openspf\.|spf\.pobox\.com|\/spf(?:\b|\?)/, "the link explains a failed SPF check"],
  ]),
  ...tokens("greylisted", [
    [
      "greylist-link",
      /(?:https?:\/\/|www\.)\S*gr[ea]ylist/,
      "the link explains greylisting",
      { severity: 4 },
    ],
  ]),
];

export const TOKEN_RULES: readonly Rule[] = [
  ...GOOGLE,
  ...MICROSOFT,
  ...YAHOO,
  ...FRENCH,
  ...NETEASE,
  ...KOREAN,
  ...AMERICAN,
  ...I_UA,
  ...FACEBOOK,
  ...SINA,
  ...STRATO,
  ...LINKS,
];
