/** Rejections of our identity: HELO name, envelope sender, SPF, DKIM, DMARC. */

import { any } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

export const SENDER_RULES: readonly Rule[] = phrases("sender_rejected", [
  ["relaying-as-sender", any`relaying disallowed as`, "it does not take mail from our sender"],
  [
    "sender-authentication",
    any`
      \S*spf\b
      spf\d?
      sender policy framework
      sender ?id\b
      \S*dmarc
      \S*dkim
      domainkeys
      dk signature
      (fails?|failed|not|doesnt|didnt|must) … ?(pass|meet) … (authentication|validation|verification) ?(check|level|require)?
      unauthenticated (mail|email|e-?mail|message)
      (sender|domain|email|message) authentication … ?(fail|require|check|not|result)
      domain authentication
      required authentication level
      authentication (results|information)
      authenticate with (either )?(spf|dkim)
      not (allowed|authori[sz]ed|permitted|designated) to send (mail |e-?mail |messages )?(from|for|as|on behalf)
      (is|are) not (a )?(designated|permitted|authori[sz]ed) (sender|mail|ip|host|server)
      invalid ip for sending mail of domain
      forge
      arc (validation|seal|fail)
      authenticat\w* … different … sender
      because it is unauthenticated
    `,
    "our sender failed its authentication (SPF, DKIM, DMARC)",
    {
      unless: any`
        (duplicate|multiple) … ?headers?
        (dkim\S*|spf|dmarc) (service|server|milter|filter|verifier|check)? ?(is )?(temporarily )?(un|not )available
      `,
    },
  ],
  [
    "greeting-name",
    any`
      (helo|ehlo)\b … ?(rejected|invalid|argument|name|host|domain|command rejected|requires?|must|not|fail|bad|mismatch|does|is|forged|dns|denied|string|parameter|required|hostname|isnt|wrong|syntax|greeting|lookup|resolve|fqdn|you|with|by|address|illegal|malformed|from)
      (bad|invalid|illegal|wrong|forged|bogus|missing|rejected|fake|unacceptable|your|empty|improper|malformed|suspicious|the|in|for|after) (smtp )?(helo|ehlo)\b
      (invalid|bad|illegal) (host ?name|domain name|hello)
      need fully-?(\s)?qualified host ?name
      fully qualified (domain|host) ?name … (helo|ehlo|greeting)
      (introduce|identif\w+) (yourself|itself) (as|properly|with)
      you are not me
      impersonat
      claim\w* to be (me|us|our|you)\b
      pretend\w* to be
      hello name
      syntactically invalid (helo|ehlo)
      (host|client) name (is )?(invalid|not fully|rejected)
    `,
    "it does not like the name in our greeting",
    {
      unless: any`
      (send|use|issue|say|need|expects?|polite|first|no|before|without|requires) … ?(helo|ehlo) (first|command|before)
      (helo|ehlo) (or (helo|ehlo) )?(first|command (first|expected|required|missing))
      polite people
      whats your name
    `,
    },
  ],
  [
    "our-sender",
    any`
      {sender} … ?(is |was |has been |been |are |not )*(rejected|refused|denied|blocked|banned|blacklisted|black ?-?listed|block ?-?listed|forbidden|prohibited|invalid|illegal|unacceptable|unauthori[sz]ed|disallowed|restricted|barred|not (be )?(allowed|permitted|accepted|authori[sz]ed|valid|exist|found|verified|owned|known|registered|local|on|in|approved|pre-?approved|a (valid|member|registered|subscriber))|unknown|does ?not|doesnt|isnt|must|cannot|missing|malformed|bad|not|unresolv\w+|suspended|listed|has no|empty|required|reject|mismatch(es|ed)?)\b
      (bad|invalid|illegal|unknown|blocked|banned|rejected|refused|denied|blacklisted|forbidden|unacceptable|malformed|missing|empty|null|bogus|unroutable|unrouteable|unresolvable|unqualified|non-?existent|suspicious|unauthori[sz]ed|unverified|unwanted|reject|refuse|deny|denies|rejects|refuses|block|domain of) (the |your |mail |outbound |\S+ )?(envelope )?{sender}\b
      required for sender
      invalid dns (mx|a)\b
      failed for (the )?sender
      {sender} … (resolve|lookup|dns|check) … ?fail
      (sender|mail ?from|mailfrom) … ?(fail|mismatch)
      domain of sender
      domain … ?(is|was|has been) (listed|banned|blacklisted|blocked|black ?listed)
      spoofed
      (your|sending|senders?|from|envelope|originating|return) … ?(domain|mx|e-?mail address|from address|envelope)\b … ?(blocked|blacklist|black ?list|banned|reject|refus|denied|not (exist|resolve|found|allowed|accepted|permitted|valid|listed|have)|does not|doesnt|no (mx|a |valid|dns)|invalid|unresolv|unknown|listed|forbidden|bad|suspicious|no longer|unacceptable)
      (resolve|find|locate|lookup|verify|look up|found) … (sender|senders|from|mail from|sending|envelope|return|your) (domain|address|mx|host|email)
      (mail|messages?|e-?mail) from (your domain|this (sender|domain|address|user)|the (domain|sender)|domain|sender|this|that|you) … ?(is |are |was |be )?(not|blocked|rejected|refused|denied|banned|forbidden|blacklist|prohibited|unacceptable)
      (not|cannot|dont|wont|refuse|no|never) … (mail|messages?|e-?mails?) from (this|that|your|these) (sender|domain|address|user|email)
      (dont|not|doesnt) (accept|like|want|know|trust) … (sender|your domain|from address|return path)
      badmail ?from
      mail ?from … (badmail|denied|reject)
      (null|empty|blank) (sender|envelope|return|reverse|from|mail from)
      (bounces?|dsns?|ndrs?|delivery notifications?) … (not|refused|rejected|disabled|denied|invalid)
      (not|no|returned|refus\w+|reject\w+) … (bounces?|dsns?|third-party dsn|backscatter|mailer-daemon)\b
      batv\b
      prvs
      backscatter
      bounce attacks?
      srs\b
      purported responsible
      sender … (blacklist|black ?list|block ?list|blocked)
      (your|this|the) (e-?mail )?address … ?(is|was|has been|are) (blocked|blacklisted|banned|black listed)
      you (are|have been) blocked by the recipient
      you are not allowed to send (from|as|mail as)
      mail from must
      not owned by user
      (sender|from) … (does not|doesnt|not) match
      send ?(on behalf|as this sender)
      permissions? to send as
      access denied sender
      resolver\.sender
      mx (of|for|records? (of|for)) … (sender|from|your)
      verify (your|sender|the) (email|sender|domain)
      (no|without|valid) (mx|dns)( or a)? (record|entry|records)? ?(for|of|in)? … (sender|sending|your domain|from)
      sender … (no|without|lacks) … (mx|a record|dns)
      unroutable sender
      no access (for|from) this (domain|user|sender)
      suspicious sender
      malformed from
      (your|sending|senders?) (e-?mail )?account … (suspended|disabled|blocked|locked|limited)
      domain … (too new|too young|newly registered|recently registered|registered recently)
      your domain has (no|not)( \S+)? (dns|mx|a) 
      spam ?(sender|from)\b
      (unconfigured|unverified|unregistered) (sending|sender|from) domain
      expediteur
      emetteur
      absender
      remitente
      mittente
      remetente
      nadawc
      отправител
      发件人
      送信者
      verzender
      afzender
      avsandare
      felado
      odesilatel
      gonderen
    `,
    "it refuses the sender we gave",
    {
      unless: any`
      sender … (not|is not|isnt|wasnt|was not) authenticated
      envelope recipient
      (missing|having no|without) … header
      badrcptto
      connections? (was |is )?(refused|rejected)
      from (your|the|this) (ip|host|server|network)
      from @ip
      tell (the )?sender
      inform (the )?sender
      contact (the )?sender
      please (ask|notify|tell)
      to sender\b
      return(ed|ing)? to (the )?sender
      notify (the )?sender
      sender should
      limited by sender
    `,
    },
  ],
]);

/**
 * The subject alone, when no sentence about it matched: a reply that names our host or sender is about the client.
 */
const SERVER_PROBLEM = any`
  temporar
  time(d )?-?out
  look ?up
  dns\b
  error
  fail
  busy
  unavailable
  overload
  maintenance
  (user|recipient|mailbox|account) … (unknown|not (found|exist|known|valid))
  (no such|unknown|invalid) (user|recipient|mailbox)
  contact
`;

export const SUBJECT_RULES: readonly Rule[] = [
  ...phrases("sender_rejected", [
    [
      "sender-as-subject",
      any`
        senders?\b
        mail ?from
        helo\S*
        ehlo\S*
        from (address|header|domain)
        return-?path
      `,
      "the text mentions our sender or EHLO name",
      {
        unless: any`
        (user|recipient|mailbox|account) … (unknown|not (found|exist|known|valid))
        (no such|unknown|invalid) (user|recipient|mailbox)
        (contact|tell|notify|inform|ask|the) (the )?sender
        (helo|ehlo|mail) … ?first
        return\w* to sender
        temporar
      `,
      },
    ],
  ]),
  ...phrases("ip_blocked", [
    [
      "address-as-subject",
      any`
        (your |remote |client |source |sending |the )?ip(s|v4|v6)?( address)?\b
        @ip
        client (address|host)
        your (host|network|server|isp|provider)
        remote (host|address|ip)
      `,
      "the text mentions our IP address",
      { unless: SERVER_PROBLEM },
    ],
  ]),
];
