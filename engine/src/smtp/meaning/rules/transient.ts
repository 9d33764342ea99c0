/** Failures that reject neither side: a loop, a server that does not work at the moment, a protocol error. */

import { any } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

/** Mail loops: the domain is misconfigured, which may be temporary. */
export const LOOP_RULES: readonly Rule[] = phrases("temporary_failure", [
  [
    "mail-loop",
    any`
      (mail|routing|forwarding|alias\w*|message) … ?loop
      loop(s|ing)? (back|detected|in|message|mail)
      too many (hops|received)
      hop ?count
      exceeded \d+ hops
    `,
    "the mail would go in circles there",
    { unless: any`domain not local` },
  ],
  [
    "lookup-trouble",
    any`
      (dns|resolver|nameserver|name server) (\S+ )?(error|failure|problem|trouble|timeout)
      (error|failure|problem|trouble) (\S+ ){0,2}(resolving|looking up|querying)
    `,
    "its lookup of the domain failed, which proves nothing about the domain",
    {
      severity: 5,
      stages: ["rcpt"],
      unless: any`
        sender
        reverse
        nxdomain
        hard error
      `,
    },
  ],
  [
    "recipient-being-verified",
    any`
      (unverified|undeliverable) address … ?(connect|connection|lost|conversation|address verification|timed|name service)
      address verification in progress
    `,
    "it asks another server about the recipient and has no answer yet",
  ],
  [
    "own-trouble",
    any`
      (internal|system|server|local|unexpected|unknown) (server |system |software |processing )?error( \.|$)
      (system|server|local|mail) config\w* (error|problem)
      misconfigur
      service (is )?(currently|temporarily) (un|not )available
      system (is )?full
    `,
    "it has trouble of its own",
    {
      unless: any`
      {sender}
      look ?up
    `,
    },
  ],
]);

export const TRANSIENT_RULES: readonly Rule[] = phrases("temporary_failure", [
  [
    "server-trouble",
    any`
      temporar\w+ … ?(fail|error|problem|unavailab|local|lookup|system|reject|not|server|dns|internal|unable|out|issue|down|suspended|resource|cannot|disabled|undeliverable|refus|condition|situation)
      (lookup|look-up|directory|ldap|database|sql|mysql|dns|nameserver|name server|resolver|verification|verifier|backend|alias|map|table|greylist\w*|milter|filter|content|policy|scanner|antivirus|storage|delivery|internal|local|system|server|mail|service|processing|queue|smtp|address|recipient|authentication|imap|routing|connection|configuration|upstream|remote|next hop|nexthop|host) … ?(fail|error|problem|unavail|timed? ?out|timeout|temporar|not (available|respond\w*|reachable|ready|running|accessible|possible)|down|refused|unreachable|overload|in progress|busy|pending|trouble|exhaust|issue)
      (insufficient|out of|low on|not enough|no) (system )?(\S+ )?(resource|storage|memory|disk|space|swap)
      (disk|system|spool|queue|filesystem|file system|partition) (is |space )?(full|low)
      service (is |currently |temporarily )*(not available|unavailable|not ready|not active|shutting|closed|down)
      service (currently )?(refused|refuse)
      (closing|close) (transmission )?(channel|connection)
      server (is |too |currently |temporarily )*(busy|down|unavailable|overload|not available|shutting|too busy|starting)
      (system|server|host|mta|machine|mailserver) (is )?(under |too |over)?(load|busy|loaded|maintenance|heav\w+)
      (load|load average) (is )?(too )?(high|limit)
      (under|for|scheduled|system) maintenance
      overload
      too busy
      (try|retry|please try|resend|send) … ?(again )?(later|again|shortly|another time)
      (come|call) back
      spater
      plus tard
      mas tarde
      riprov
      (tente|tentar) … (novamente|tarde)
      pozniei
      позже
      позднее
      稍后
      しばらく
      나중에
      timed? ?out
      timeout
      (cannot|can not|unable to|could not|couldnt|cant) … ?(process|complete|accept|deliver|connect|open|access|create|write|lock|contact|reach|verify|check|validate|determine|queue|allocate) 
      (address|recipient) (verification|validation) in progress
      unverified address
      try (the )?(other|another|next|backup|secondary) (mx|server|host)
      internal (resource|server|system|software)
      (mailbox|user|account|recipient) … ?(is )?(temporarily|currently|momentarily) (unavail|not available|locked|busy|in use|being|deferred|refused)
      mailbox (is )?(busy|in use|locked by|being (moved|migrated|rebuilt))
      (being|is) migrat
      shutting down
      not (currently )?(ready|running)
      mdb\b
      (name|host|node)( name)? (or service )?(not known|nor servname|lookup)
      relay server (is )?not ready
      requested action aborted
      local error
      unexpected (error|condition|failure|exception)
      deferr?ed
      \S*storedrv
    `,
    "something on its side does not work right now",
    { severity: 4 },
  ],
  [
    "trouble-despite-5-1",
    any`
      temporar
      (try|retry) … ?(again|later|in \d)
      (wait|retry|delay\w*) … \d+
      timed? ?out
      timeout
      overload
      too busy
      (directory|database|backend|ldap|scanner|resource|system|server|queue|disk|memory|storage) … ?(down|unavailable|not available|not ready|busy|error|fail|full)
      (insufficient|out of) … ?(resource|storage|memory|space)
      deferr?ed
      (directory|database|store|name ?server|name server) … ?(gave no answer|did not answer|offline)
      shutting down
      no route to host
      spater
      plus tard
      mas tarde
      позже
      稍后
    `,
    "the words tell of trouble on its side, whatever the number says",
    {
      severity: 5,
      enhanced: /^5\.(?:1\.[0-3]|[23]\.0|4\.\d)$/,
      stages: ["rcpt"],
      unless: any`recipient (verify|validation|verification)`,
    },
  ],
]);

/** Tried before the mailbox: "RCPT TO" is the command. */
export const COMMAND_RULES: readonly Rule[] = phrases("protocol_error", [
  ["invalid-rcpt-command", any`invalid rcpt to`, "501 is about the command", { codes: [501] }],
]);

export const PROTOCOL_RULES: readonly Rule[] = phrases("protocol_error", [
  [
    "conversation",
    any`
      synchroni[sz]ation error
      (bad|wrong|out of|improper|invalid|incorrect|command) … ?(sequence|order)\b
      out-of-sequence
      (unrecogni[sz]ed|unknown|unimplemented|unsupported|invalid|bad|illegal|missing|unexpected|disabled|too long) … ?(command|parameter|verb|option|argument|extension|esmtp)
      command … ?(not|un) ?(recogni[sz]ed|implemented|supported|known|allowed|understood|expected|rejected|unrecogni[sz]ed|out)
      (parameter|argument|option|feature|verb|smtputf8|extension)s? … ?(not|un) ?(recogni[sz]ed|implemented|supported|understood|allowed|permitted)
      syntax
      need (a )?(mail|rcpt|helo|ehlo|data)\b
      (mail|rcpt|helo|ehlo|hello|data) (command )?(first|expected|required|missing|must)
      (send|use|issue|say|try|expected|give) … ?(helo|ehlo|hello|mail|rcpt)\b
      polite people
      (sender|mail|from|recipient|rcpt) (is )?already (specified|given|set)
      nested mail
      (rcpt|mail|data|helo|ehlo|starttls)( to| from)? (without|before|already|after)
      already (established|encrypted|in progress)
      command … (without|before)
      duplicate (mail|helo|ehlo|rcpt)
      no (valid )?recipients? (specified|given|yet|have been)
      pipelin
      protocol (error|violation)
      (line|command|path|address) too long
      smtputf8
      (non-?ascii|8-?bit|utf-?8|internationali[sz]ed|unicode) … ?(address|not|char|mailbox|local|email|sender|recipient|header)
      (data|input|talk\w*|pregreet) before (greeting|banner)
      before (my |the |smtp )?(greeting|banner)
      premature
      (garbage|unexpected) (after|input|data)
      (must|should|requires) … fully[ -]qualified
      need fully[ -]qualified
      not (a )?fully[ -]qualified
      (bare|stray) (lf|cr|line ?feed|newline)
      unable to parse
      cannot parse
      parse error
      malformed (address|command|parameter|recipient)
      (starttls|tls) … ?(not|un) ?(supported|offered|allowed|available|recogni)
      improper use
      send hello
      unrecognized
      domain literal
      (improper|incomplete|unqualified) (recipient|address|rcpt|user)
      missing (colon|bracket|argument|parameter|domain)
      (must|needs? to|have to|please|kindly) (specify|supply|provide|include|contain|give|enter|name) (a |an |the |your |full |valid |complete |destination )*(domain|address|e-?mail|recipient|user|host|mailbox)
      colon required
      required after
    `,
    "the conversation itself went wrong",
  ],
]);
