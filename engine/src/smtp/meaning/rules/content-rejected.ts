/** Rejections of the message: its size, its content, or a policy. */

import { any } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

export const MESSAGE_RULES: readonly Rule[] = [
  ...phrases("message_too_big", [
    [
      "message-size",
      any`
        (message|mail|e-?mail|msg|letter|data|attachment|content|file|body|declared|your message|it) … ?(is |was |too |size )*(too (large|big|long)|larger than|bigger than|exceed\w* … ?(size|maximum|limit|fixed|bytes)|size … ?(exceed|limit|over|too|larger|bigger|greater))
        (message|mail|e-?mail|msg|header|declared)s? ?size … ?(exceed|limit|over|too|maximum|larger|reject)
        (exceed\w*|over|above|larger than|beyond) … ?(message|mail|e-?mail|fixed|maximum|max|size)( message| mail)? ?(size|bytes|length)
        (size|length) (limit|exceed|too|restriction)
        (maximum|max) (message|mail|e-?mail|allowed) size
        mailsize
        too (large|big)\b
        size= 
        taille … (limite|message|maxim|depass)
        (zu gross|tamano|troppo grande|dimensione)
        解
        recipsizelimit
      `,
      "the size it expects from us is too much",
      {
        unless: any`
          mailbox
          inbox
          quota
          (user|account|recipient) … (full|over|space|storage)
          storage
          policy size
          too many
        `,
      },
    ],
  ]),
  ...phrases("policy_rejected", [
    [
      "content",
      any`
        (spam|junk|virus|malware|phish\w*|worm|trojan|infected|unsolicited|bulk|ube|uce)\b … ?(message|mail|content|detect|found|reject|refus|block|score|filter|suspect|not (accept|allow|toler)|email|score|denied|like|in your|in message|is embedded|prohibited|policy|mail)
        (message|mail|e-?mail|content|attachment|body|letter|subject|header|text|it|this) … ?(is |was |has been |been |were |looks |contains |appears |considered |classified |identified |seems |detected |flagged |marked |as |like |to be |likely |a |an |possible |probable |suspected |believed )*(spam|junk|virus|malware|phish|unsolicited|suspicious|infected|ube|uce|dangerous|harmful|scam|bulk)
        (message|content|attachment|body|subject|header|url|uri|link|file|extension|mime|html|charset|language)s? … ?(is |was |are |has been |been |were )*(rejected|refused|blocked|denied|forbidden|prohibited|not (allowed|accepted|permitted)|filtered|banned|illegal|invalid|bounced|quarantined|malformed|suspicious|unacceptable)
        (illegal|forbidden|prohibited|blocked|invalid|banned|dangerous|executable|suspicious|malicious|bad|offensive|malformed|objectionable) … ?(attachment|content|file|header|url|link|message|extension|charset|mime|body)
        mail content denied
        spam (message )?(detected|found|rejected|refused|filter|content|blocked|score)
        (spam|spammy|spamming)\b
        rejected as spam
        anti-?spam
        antivirus
        (content|spam|bayes\w*|url|keyword) filter
        \bdbl\b
        \S*surbl
        \S*uribl
        \burls?\b
        rfc ?-?(2?822|5322) 
        (no|missing|invalid|bad|duplicate) … ?(from|date|message-id|subject|to) header
        not rfc
        header error
        (duplicate|multiple|improper\S*) … ?headers?
      `,
      "it refuses the message or its content",
      {
        unless: any`
        mail loop
        (user|recipient) (is )?unknown
        (no such|unknown|invalid) (user|recipient|mailbox)
        (invalid|local) mailbox
        (user|mailbox|recipient|account) (is )?(not found|full|terminated|disabled|inactive)
        (filter|scanner|milter) (is )?(too |currently )?busy
      `,
      },
    ],
  ]),
];

/** Tried before the sender rules: they mention the sender, but the policy is the recipient's. */
export const RECIPIENT_POLICY_RULES: readonly Rule[] = phrases("policy_rejected", [
  [
    "private-mx",
    any`(address|domain) uses mx in`,
    "it found a private address for the domain, which others may not see",
  ],
  [
    "restriction-without-reason",
    any`^(reject|deny|denied|refuse)( \.|$)`,
    "a restriction of its own fired, and the code is that of its place in the list",
  ],
  [
    "recipients-own-choice",
    any`
      (recipient|user|account|owner|mailbox|person|member|list|group|subscriber|customer)s? … ?(only accept|accepting (mail )?(only )?from|only accepting|preferences?|privacy|white ?list|allow ?list|allowed sender|approved sender|opted out|opt-?out|protected by|blocked (you|your|this|mail|messages)|does not (want|wish)|rules)
      (recipient|user|owner) (refuses|rejects|has refused|has rejected)
      (recipient|user|owner) … ?has (disabled|blocked|stopped|closed) (it|mail|messages|e-?mail) (from|to) 
      envelope blocked
      (recipient|user)s? (own )?(block|black|reject|deny) ?list
      only … ?same domain
      only accepts? (mail|messages|email) from
      (blocked|blacklisted|rejected|refused|denied) by (the |its |this )?(recipient|user|owner|mailbox owner|account|destination domain|addressee|customer|subscriber)(?! (validation|verif|filter|address|lookup|check))
      (rejected|refused|blocked|denied) (due to|by|per|because of) … ?(user|recipient|personal|owner|customer|organizational) … ?(rules?|preferences?|settings?|filters?|request|choice|entry|block|policy)
      user (reject|refuse|entry)
      (members?|subscribers?)(-| )only
      (not|non)( a|-)? ?(member|subscriber|subscribed)\b(?! of (the |this |our )?domain)
      (closed|moderated|restricted|private) (mailing )?(list|group)
      (not|arent|isnt) (allowed|permitted|authori[sz]ed) to (post|send|e-?mail|write|mail|contact|reach|deliver) … ?(to )?(this|the|that|here|members|list|group|recipient|user|address|mailbox|him|her)
      not (in|on) … (white ?list|allow(ed)? ?list|allowed[ -]senders?|safe ?list|accept\w* list|approved senders?|list of (allowed|accepted|approved) senders|address management|contacts?)
      sender … (not|isnt) … (allowed|approved|permitted|safe) ?-?(sender|list)
      list of senders
      allowed-senders
      resolver\.rst\.
      restricted sms
      (chosen|elected|decided|opted|chooses) not to (receive|accept|get)
      (recipient|user|mailbox|account|owner)s? (does not|doesnt|will not|wont|only) accepts? … from (unknown|unauthori[sz]ed|external|known|certain|specific|approved|trusted) (senders?|addresses|sources)
      (not|isnt) (allowed|permitted|able) to receive (any )?(mail|mails|e-?mails?|messages?|this (mail|message)) (from (you|this|your)|because|with)
      (users?|recipients?) ?s? (own )?(reject|spam|block|black) ?list
      (not|doesnt|dont|never) (want|like|accept)s? (your|this) (mail|e-?mail)s?
    `,
    "the recipient, or a list, chooses whom it hears from",
    {
      unless: any`
      authentication required
      not authenticated
      recipsizelimit
      ip address
    `,
    },
  ],
]);

export const POLICY_RULES: readonly Rule[] = [
  {
    id: "login-code",
    category: "auth_required",
    codes: [530, 534, 535, 538],
    why: "this code asks for a login",
  },
  {
    id: "command-code",
    category: "protocol_error",
    codes: [500, 502, 504],
    why: "this code is about the command, not about anyone",
  },
  ...phrases("policy_rejected", [
    [
      "local-policy",
      any`
      \S*polic(y|ies)
      prohibit
      administrative
      administratively
      (local|security|organi[sz]ation\w*|company|site|corporate|admin\w*|custom|server|mail ?flow|transport|firewall) (rule|restriction|filter|setting|decision|reason|configuration|prohibition)s?
      rejected (by|due|for|because|per|based)
      envelope (rejected|blocked)
      (rule|rules) (imposed|rejected|blocked|matched)
      badrcptto
      badrecipientto
      will not accept (delivery of )?(this|your) (message|mail)
      we (do not|dont) want
      (your )?(message|mail|e-?mail) (has been |was |is )?(refused|rejected|blocked|bounced|declined|denied)
      restrict
      delivery not authori
      transport\.rules
      (politique|richtlinie|politica)
      filtered
      private
      infected
      content reject
      (message|mail|e-?mail) (held|scored?|contains|data refused)
      (file|attachment) (extension|type)
    `,
      "it names a rule of its own and nothing about the mailbox",
      { stages: ["ehlo", "mail", "rcpt"] },
    ],
    [
      // Before RCPT a bare rejection can only mean the client, and the code says which part of it.
      "bare-refusal",
      any`
      access (was |is )?(denied|denined|refused|forbidden|not allowed|restricted|blocked)
      not (be )?(allowed|permitted|authori[sz]ed|welcome|accepted)\b
      denied\b
      forbidden\b
      (refused|rejected|blocked|declined|disallowed)( \.|$)
      blocked
      not (?:deliver\w*|accept\w*) (?:to|mail|for)
    `,
      "it refuses and gives no reason",
      { stages: ["rcpt"] },
    ],
  ]),
];
