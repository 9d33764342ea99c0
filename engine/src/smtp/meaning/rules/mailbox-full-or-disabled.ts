/**
 * Replies about a mailbox that exists, but is full or disabled.
 *
 * A sentence that offers two reasons ("unknown or full") proves neither, so the either-or rows come first and leave
 * the mailbox unknown.
 */

import { any, exactly } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

const MISSING = String.raw`(?:unknown|unbekannt|inconnu\w*|sconosciut\w|desconocid\w|desconhecid\w|nieznan\w*|invalid|not (?:valid|found|exist|exists|known)|(?:doesnt|does not|do not|dont) exist|non-?existent|no such \S+|bad|not a valid)`;
const DISABLED = String.raw`(?:disabled|deaktiviert|desactiv\w*|disat+iv\w*|zablokowan\w*|nieaktywn\w*|inactive|suspended|deactivated|expired|locked|closed|terminated|inactivated|not active|discontinued|not enabled|no longer (?:active|available|accepts?))`;
/** Disabled, or merely unavailable: for now, or for us. */
const UNAVAILABLE = String.raw`(?:unavailable|not available|blocked|not accepting \S+|not reachable)`;
const FULL = "(?:full|over ?quota|quota|exceeded)";
const BARRED = String.raw`(?:access denied|access denined|not allowed|not permitted|not authori[sz]ed|refus\w+|denied|policy|restricted|prohibited|rejected|permission)`;
const OR = String.raw`(?: \S+){0,4}? (?:or|oder|ou|o|lub|или) (?:\S+ ){0,6}?`;

const either = (one: string, other: string) =>
  exactly(new RegExp(`(?<!\\w)(?:${one}${OR}${other}|${other}${OR}${one})(?!\\w)`));

export const AMBIGUOUS_RULES: readonly Rule[] = [
  ...phrases("policy_rejected", [
    [
      "unknown-full-or-shut",
      exactly(new RegExp(`^(?=.*${MISSING})(?=.*${DISABLED}).*(?<!\\w)full(?!\\w).* or `)),
      "it names three reasons and does not say which",
      { mailbox: "unknown", severity: 5 },
    ],
  ]),
  ...phrases("mailbox_disabled", [
    [
      "unknown-or-shut",
      either(MISSING, DISABLED),
      "it names two reasons and does not say which",
      { mailbox: "unknown", unless: any`(closed|disabled|locked) (to|for) you` },
    ],
  ]),
  ...phrases("mailbox_full", [
    [
      "unknown-or-full",
      either(MISSING, FULL),
      "it names two reasons and does not say which",
      { mailbox: "unknown" },
    ],
  ]),
  ...phrases("policy_rejected", [
    [
      "unknown-or-unavailable",
      either(MISSING, UNAVAILABLE),
      "it names two reasons and does not say which",
      { mailbox: "unknown" },
    ],
    [
      "unavailable-or-barred",
      either(`(?:unavailable|not available|${MISSING})`, BARRED),
      "it names two reasons and does not say which",
      { unless: any`unable to relay` },
    ],
  ]),
];

export const FULL_RULES: readonly Rule[] = phrases("mailbox_full", [
  [
    "over-quota",
    any`
      \S*over ?-?quot[ae]
      quota … ?(exceed|full|reached|violation|limit|used|over|usage|depass|uberschrit|superad|supera|excedid|przekroc|would)
      quota (of|for) (\S+ ){1,3}(has |have |is |was )?(been )?(exceed|reached|full)
      (exceed\w*|over|above|reached|beyond|out of|past|hit|surpassed|used up|has used) … ?(quota|allotted|storage|disk space|space limit|allocated|allocation|mailbox size|mailbox limit|size limit of (the |this )?mailbox)
      (disk|mail|mailbox|storage|user|diskspace|account|domaindisk|userdisk|size|message count) quota
      {user} … (over|exceed\w*) … (quota|storage|size|space|limit|disk|maximum)
      {user} (size |storage )?limit (has been |is )?(exceed|reached)
      (would|will) … ?(exceed|be over|overflow) … ?(quota|storage|mailbox|limit|maximum|allowed)
    `,
    "the mailbox is over its quota",
    {
      unless: any`
        (sending|submission|outbound|relay|message-id|hourly|daily|recipients?(?! mailbox)|email|rate|connection|bandwidth) … ?quota
        quota for sending
        (your|sender|senders) … ?quota
        (message|mail) … ?(too (large|big)|larger than|size … (exceed|limit))
        message size exceed
        exceeds? … (message|fixed) size
        policyd
        (resource|queue) quota
        quota … ?(not found|unknown|exist|missing)
      `,
    },
  ],
  [
    "no-room",
    any`
      mail ?box of (is )?full
      (mail ?box|inbox|mbox|mail ?folder|mail file|mail ?drop|mail store|maildir|user|account|recipient|mail box) … ?(is |are |was |too |currently |temporarily |now |almost |completely |not )?full\b
      full (mail ?box|inbox|mailfolder)
      (out of|no|not|insufficient|lacks?|not enough|low|without|enough|insuficiente|little) … ?(storage|space|room|disk|speicher) … ?(in|for|of|on|left|available)? ?… ?(mail ?box|user|account|recipient|inbox|this|accept|his|her|their)\b
      (mailbox|inbox|user|recipient|account)s? … (out of|no|not|insufficient|lacks?|not enough|enough|used up|ran out) … ?(storage|space|room|disk)
      inbox is out of
      space (has|have|is|was)? ?(been )?(used|use) up
      (exceed\w*|over|above|more than) … (message|mail) count
      larger than … space available
      \S*quotaexceeded
      too much mail data
      (user|mailbox) has too many messages
      (maximum|max|allowed) … messages (on|in|for) (the |this |that )?(mail ?box|inbox|folder)
      too many messages (on|in|for) (the |this |that |his |her )?(server|mail ?box|box|inbox|folder)
      space (is )?not enough
      exceeded storage allocation
      storage (allocation|limit|quota) (has been |is |was )?(exceeded|reached)
      account storage
      (mailbox|account|recipient|user) … reached … (limit|maximum|capacity|storage)
      mailbox (size|capacity|limit|storage)
      mailfolder is full
      mail file size exceeds
      maximum allowed storage
      no space left (on|in|for) (device|user|mailbox)
      (does not|doesnt) have enough (space|room)
    `,
    "there is no room left in the mailbox",
    {
      unless: any`
        insufficient system
        quota … ?not found
        cannot write
        (message|mail) (is )?(too (large|big)|size)(?! … space available)
        (size of (the |your )?message)
        (sending|daily|hourly) limit
        fully
        (headers?|attachment)
        backend
        \S*submission
        (storage|disk) … ?(error|failure|unavailable)
      `,
    },
  ],
]);

export const DISABLED_RULES: readonly Rule[] = phrases("mailbox_disabled", [
  [
    "shut-mailbox-status",
    any`
      (user|account|mailbox) status (is )?(locked|disabled|inactive|suspended|blocked)\b
      user hangup
      recipient suspend the service
      noactivity
      no recipient activity since
    `,
    "the mailbox is there but shut",
    { isWholeClause: true },
  ],
  [
    "shut-mailbox",
    any`
      {user}\b … ?(is |was |has been |been |are |has |have |had |currently |temporarily |temporary |permanently |now |being |administratively |status |marked |marked as |set |his |her |in |this |the |deliver\w* )*(disabled|inactive|suspended|deactivated|expired|locked|closed|terminated|frozen|discontinued|cancell?ed|on hold|dormant|retired|archived|decommissioned|paused|unactivated|disconnected|abandoned|revoked|barred|deprecated|quarantined|blocked|hold|unsubscribed|shut ?down|stopped|lapsed)\b
      (disabled|inactive|suspended|deactivated|expired|locked|closed|terminated|frozen|discontinued|cancell?ed|dormant|archived|blocked|unused|abandoned) … ?({user}|customer)\b
      {user}\b … ?(not|isnt|wasnt|no longer|not yet|never) (currently |yet |been )?(an? )?(active|activated|enabled|in use|in service|operational|used|accessible|being used|available for use|able to receive|monitored|maintained|(accept|tak|receiv)\w*( \.|$| (any |new |more |further |incoming |our |your )*(e-?mails?|mails?|messages?|deliver\w*|anything)))
      (not|isnt|no longer|arent|cannot|cant|not currently|unable to|doesnt|does not|is not|wont|will not|not permitted to|not allowed to|not able to) (currently |any ?more |be )?(accept|accepting|receive|receiving|take|taking|get) (any |new |more |incoming |further |e-?mail |mail )*(e-?mails?|mails?|messages?|deliver\w*)\b( at this time| for this| anymore| any more| any longer| to this)?
      (mail|delivery|deliveries|reception|receiving|service)( \S+)? (is |has been |was |are )?(disabled|suspended|turned off|switched off|stopped|deactivated) (for|to|on|at)(?! (this|the|our|your|that) (host|server|system|network|domain|gateway))
      mail receiving disabled
      no longer (active|in use|in service|used|available|accept\w*|receiv\w*|monitored|works?|working|employed|with|at\b|a customer|subscribed|operational|maintained|valid customer|works at)
      (left|leaves|departed from) (the |our |this )?(company|organi[sz]ation|institution|university)
      (not been|hasnt been|was not|wasnt|unused|not) (used|accessed|logged|active|opened) (in|for|since|recently)
      (long-?time|lack of|due to|extended|for|no) … ?(inactivity|non-?payment|abuse of account|recipient activity)
      \S*inactivity
      {user} suspend
      never logged (in|on)
      (hasnt|has not|didnt|not) (entered|logged|visited|signed)
      ^not used( \.|$)
      account (is |currently )*(unavailable|not available)(?! for| on)
      log ?in to (enable|activate|receive|reactivate)
      {user} … (cannot|can not|cant|unable to) (receive|accept) (e-?mail|mail|messages)
      (user|account|mailbox|recipient) … (unpaid|overdue|non-?payment|delinquent)
      temporarily inactive
      status (is )?(suspended|inactive|disabled|locked|blocked)
      user or domain is disabled
    `,
    "the mailbox is there but shut",
    {
      unless: any`
        (too many|rate|limit)
        (sender|your|sending|from) … ?(account|address|domain|email|mailbox|user|e-?mail) … (is |has been |was )?(disabled|suspended|blocked|locked|barred)
        sender … (blocked|suspended|disabled|rejected)
        (message|mail|email|content|attachment|url|file)s? (was |is |has been |have been |were )*(blocked|quarantined|suspended|stopped|held)
        blocked (using|for spam|for abuse|from|at|in|because … spam|due to … (spam|policy|content|reputation|abuse))
        (message|mail|email|it|sender|host|connection|was|ip|you) blocked by
        connection … (closed|terminated|blocked|dropped)
        closing
        timed out
        accept\w* … ?(this|your) (message|mail|e-?mail)\b
        (for|to) (this|that|the|your|any|our) (domain|host)
        not logged in
        domain not used
        server (is )?(too )?busy
        (ip|host|server|network|client|@ip) … (blocked|suspended|barred|disabled)
        (spam|virus) 
        polic(y|ies)
        delivery (is )?(temporarily )?suspended
        (vrfy|expn|command|auth\w*|relay\w*|smtputf8|feature|verification|service)s? (is |has been |are )?(disabled|deactivated)
        external (mail|e-?mail|senders?)
        locked by another (session|process|client)
        blocked by (an? |the )?(rule|filter|user|owner|recipient)
        has (disabled|blocked|closed|stopped|suspended) (the |all |any |your )?(mail|messages?|e-?mails?|senders?|you)\b
        (user|account|recipient|mailbox) (database|directory|table|store|lookup)
        (tak|accept|receiv)\w* (any )?(replies|answers|responses)
        from outside
        (from|by) (this|your|that|the) (sender|domain|host|server|ip)
        from (you|unknown|unauthenticated|@ip)
        does not accept (mail|messages|email) from
        domain … (disabled|suspended|expired|inactive|closed|terminated|locked|deactivated)
        (your|certificate|password|license|session) … expired
        temporarily (blocked|deferred)
        (host|server|system|domain|machine) … (does not|doesnt|not) (accept|receiv)
        not (accept|receiv)\w* (any )?(mail|messages|e-?mails?) from
      `,
    },
  ],
]);
