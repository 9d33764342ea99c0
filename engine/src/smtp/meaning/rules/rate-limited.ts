/** Rate limits on the client, and the receiving limit of one mailbox, which proves that it exists. */

import { any } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

/** Tried before greylisting: these replies ask for a retry as well. */
export const INBOUND_RATE_RULES: readonly Rule[] = phrases("rate_limited", [
  [
    "recipients-own-inbound-rate",
    any`
      {user} (has |have )?received too (much|many)
      {user} (has )?exceeded (the |their |its )?(message|mail|email) (rate|receiv)
      {user} … (is|has|have) (been )?receiv(ing|ed) … (too (quickly|fast|many|much)|at a rate|limit)
      receiving mail (too|at a rate)
      frequency of receiving
      recipients? … (per hour|hourly|daily|thread|receive|receiving|inbound|incoming) (message |mail |rate )?(receive |receiving )?limit
      {user} (has )?exceeded (their|its|the|his) (limit for|(maximum )?(inbound|incoming|receiving|receive))
      too many (messages?|mails?|emails?) (for|to|received by|queued for) (this|the|that) {user}\b
      message receive limit
      rate limit (of|for) (this|that|the) (recipient|mailbox|alias|inbox)\b
      {user} … (getting|receiving) too (many|much)
      exceed\w* (the )?receiving limit
      (mail|messages?) to (this |the )?({user} )?(is |are |has been |have been )?(deferred|delayed) due to (excessive|high|unusual)
      {user} (is )?(overloaded|too busy|receiving too)
    `,
    "that very mailbox is receiving more than its provider lets in at once",
    { mailbox: "exists" },
  ],
]);

/** Limits on the client. */
export const RATE_RULES: readonly Rule[] = phrases("rate_limited", [
  [
    "too-many",
    any`
      too (many|much|frequent\w*) (?!hops|received|mail data|messages on|spams?|unwanted|junk)… ?(connect|concurrent|simultaneous|parallel|session|messages?|e-?mails?|mails?|recip|rcpt|errors?|commands?|users?|address|attempt|requests?|invalid|unknown|bad|wrong|failed|failures?|reject|deliver|traffic|hits|transaction|threads?|sent|retries|login|unrecog|unauth|per\b|from|bounce|non-?exist)
      too (fast|frequent\w*|quickly|often)\b
      excessive … (rate|number|volume|connect\w*|errors?|unknown|recip\w*|amount|use|mail)
      trop de (connexion|message|destinataire|mail|tentative|requete)
      trop (de )?destinataires
      zu viele
      demasiad[oa]s (conex|mensaj|destinat|correo)
      troppe? (connession|messagg|destinat)
      troppi
      muitas conex
      слишком много
      频率
      过多
      超过(了)?限
      接続.{0,8}多
    `,
    "it counts connections, messages, recipients or errors and had enough",
    {
      unless: any`
      {user} has too many
      authentication failures
      login
    `,
    },
  ],
  [
    "limit-reached",
    any`
      (connections?|messages?|recipients?|sessions?|concurrency|batch|sending|hourly|daily|rcpt|relay|submission|mails?|e-?mails?|smtp|rates?|throughput|volume|errors?|traffic|policy size|frequency|outbound|tenant|user sending|number of \S+) (?!size)… ?(quota|limits?|rates?|threshold|count|frequency|limitation|maximum) … ?(exceed|reached|hit|over|surpassed|limited)
      (exceed\w*|reached|over|surpassed|hit|above|beyond) (?!size)… ?(connections?|sessions?|concurrency|sending|hourly|daily|rcpt|relay|submission|rate|throughput|volume|errors?|simultaneous|per (hour|minute|day|second)|thread|permitted limits|max(imum)? (number of )?(messages|recipients|connections|sessions|emails|rcpt)|number of (messages|recipients|connections|sessions|emails)|messages|emails|recipients)\b
      (max|maximum|limit on|limit of|limits? the) … (messages?|recipients?|connections?|sessions?|rcpts?|errors?|emails?) … ?(reached|exceeded|per|allowed)
      (max|maximum) … (messages?|recipients?|connections?|sessions?) … ?(has|have) been (reached|exceeded)
      (hourly|daily|monthly) … ?limit … (used up|exhausted)
      max(imum)? (message|connection|session)s? per
      tenant has exceeded
      exceed\w* (its|your|the) quota for sending
      queue quota
      (invalid|unknown|bad|wrong) (user|recipient|address|mailbox) (quota|budget|allowance)
      quota of (recipients|messages|mails|connections)\b
      (number of|\d+|two|three|four|five|ten|several) (unknown|invalid|bad|wrong|failed|non-?exist\w+) (users|recipients|addresses|mailboxes)\b
    `,
    "a limit on connections, messages or recipients is reached",
    {
      unless: any`
      \S*scor
      mailbox\b(?! unavailable)
      (message|mail|file|header|fixed) size
      size limit
      size exceed
      storage
      disk
      inbox
      header
      attachment
      account is
      quota for this user
      user quota
      over ?quota
      mail quota
    `,
    },
  ],
  [
    "throttled",
    any`
      \S*throttl
      rate[ -]?(limit|control|exceed)
      slow (it )?down
      slower
      (ip|sender|domain|connection|sending|mail) frequency
      frequency (is )?limited
      traffic shap
      (unusual|unexpected|high|excessive|abnormal|suspicious|large) … ?(rate|traffic|volume|number of|amount of)
      (mail|message|smtp) flood
      flood(ing|ed)? (detect|protect|control|block)
      rate of … (mail|messages|unsolicited|connections)
      (your|message|messages|mail|sending|connection|connections) rate
      not accepting (any )?(more|further|additional) 
      (can|may) only send \d
      \d+ (msgs?|messages|mails|emails|recipients|rcpts?|connections) (per|in|within|every)
      rcpt numbers
      no more (messages|recipients|connections|rcpt)
      (reduce|lower|decrease|limit) (the |your |down )?(number|rate|volume|amount|concurren|sending|connection)
      (one|single|1) recipient (at a time|per|only)
      only (one|1|a single) recipient
      multiple (destination )?(domains|recipients) 
      server (is )?(too )?busy .{0,40}(as ?\d{3}|@ip)
      (concurrent|simultaneous|parallel) (smtp )?(connection|session)
      connection limit
      connections? … limited to
      (message|mail|sending|traffic) volume … (high|exceed)
      (out of|no|not enough|no more|no free) (free |available |more )?(connection |smtp )?(slots?|channels?|connections?|sessions?)
      (maximum|max) (credits?|quota) … (exceed|reached)
      connections? from (your|this|the same) (host|ip|address|client) (exceed|reached)
      directory harvest
      harvest\w* (attack|attempt|detect)
      dictionary attack
      namespace mining
      (recipient|user|rcpt) (verification|lookup) abuse
      delivering … too (fast|quickly)
      no longer (checked|verified|accepted) … ?in this (session|connection)
      (separate|another|new|different) (transaction|session|connection)\b
      limit exceeded for (your|this|ip|host|client|domain|sender)
      (ip|client|host|sender|connection|you) … (limit|quota) (has been )?(exceed|reached)
    `,
    "it slows us down",
    {
      unless: any`
      mailbox (is )?(full|over)
      (mailbox|user|disk|storage) quota
      permanently
      over ?quota
      bad reputation
      locked by
      unauthenticated
    `,
    },
  ],
]);
