/**
 * What servers demand before they accept a recipient: retry later, encrypt, authenticate. Also the results of sender
 * callouts. None of it is evidence about the mailbox.
 *
 * Tried before the mailbox rules, because these replies often mention the recipient as well.
 */

import { any, exactly } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

/** A callout repeats what our own domain's server said; the quoted words are not about the recipient. */
export const CALLOUT_RULES: readonly Rule[] = phrases("sender_rejected", [
  [
    "callout-of-our-sender",
    any`
      sender (address |email )?(verify|verification|callout|callback|check) … ?(fail|error|refus|reject|not)
      sender verify
      sender verification
      (callout|callback) (setup |verification )?(fail|refus|reject)
      (verification|callout|callback|verify) failed for
      (couldnt|could not|cannot|cant|unable to|failed to|not) … verify … {sender}\b
      {sender} … (could|can) ?not be verified
      unverif\w+ {sender}\b
      sender address rejected unverif
      sender address rejected undeliverable
      verif(y|ying|ication of) (the |your )?(sender|envelope|return path|mail from)
    `,
    "the server called our sender's domain back and did not like the answer",
  ],
]);

export const GREYLIST_RULES: readonly Rule[] = phrases("greylisted", [
  [
    "greylist-word",
    any`
      gr[ae]y ?-?list
      gr[ae]y ?-?(wait|milter|trap)
      grey-?l
      graulist
      liste? gris
      lista szur
      серы. спис
      грейлист
      \S*gr[ae]y\S*rbl
      \S*postgrey
    `,
    "the text mentions greylisting",
    { unless: any`(poor|bad|low) … reputation` },
  ],
  [
    "first-contact",
    any`
      first (mail|message|time|contact|seen|attempt|delivery|connection)
      (not|never) (yet )?(been )?(seen|known|encountered) (yet|you|this|before|from)
      (havent|have not|never) … (seen|met|talked)
      new (sender|triplet|source|server|client|host|correspond)
      \d+ ?min\w* delay
      (unknown|new|unseen) (triplet|tuple)
      not yet (authori|whitelist|approved|allowed|accept|known)
      (early|premature) (retry|attempt)
      too (early|soon)
      soft reject … try again
    `,
    "it has not met us before and wants to see us come back",
    {
      severity: 4,
      unless: any`
      too many
      (block|black) ?list
      spamhaus
    `,
    },
  ],
  [
    "come-back-later",
    any`
      (come|try|call) back (later|in|after)
      comeback
      temporar\w+ (delayed|rejected|refused|deferred|blocked|block) (to|for|as|because) … (prevent|avoid|fight|reduce|combat|stop|unknown|new|sender)
      (delayed?|deferred) (by|due to|as|for) … (anti-?spam|policy|spam|protection|new|first|unknown)
      anti-?spam … (delay|deferral|measure)
      (you|sender|client|server|mail server|mta) (must|should|need to|needs to|has to|have to|will be able to) (wait|retry)
      wait (for )?(at least |another )?\d
      wait (an? )?(few )?(min|sec|hour)
      (deferred|deferring|defer|delaying) (you |this |it |mail )?for \d
      (delay|delayed|deferred|deferring|retry|rejected|blocked) (for |in |after |by )?(the next |at least |another )?\d{1,5} ?(s|sec|secs|seconds?|m|min|mins|minutes?|hours?)\b
      (try|retry|resend|retransmit|again|deliver)( \S+)?( \S+)?( \S+)? (again )?(in|after|within) (at least |about |approximately |another )?(\d|a few|some time|an? (few )?(min|hour)|one|five|ten|fifteen|several|a while|a couple)
      (try|retry) (again )?(in )?\d{1,5} ?(s|sec|min|h)
      retry (again )?(time|timeout|timer)
      will be (accepted|allowed|whitelisted|delivered) (after|in|on|upon|at|when)
      \d+ (seconds|minutes) (left|remaining|to go|until)
      (spam|bot|zombie) (prevention|protection|defen[cs]e) … (retry|try|again|later|delay)
      resend … (again )?(later|in)
      (please )?(retry|resend) (the )?(same )?(message|mail|email) … ?(later|again|in)
    `,
    "it asks a first-time visitor to come back after a while",
    {
      severity: 4,
      unless: any`
        quota
        full\b
        limit
        too (many|much|fast)
        \brate\b
        spamhaus
        blacklist
        block ?list
        reputation
        dns\b
        look ?up
        resolve
        (system|server) (error|problem|load|busy|failure|unavailable|down)
        internal (error|server)
        storage
        disk
        busy
        load\b
        unusual
        unexpected volume
        complaints
        maintenance
        backup
        verif
        overload
        unavailable
        sqlstate
      `,
    },
  ],
  [
    "try-again-alone",
    exactly(
      /^(?:\. )?(?:(?:error|sorry|rejected|recipient address rejected|temporary|temporarily|policy|\S+\.[a-z]{2,}) )*(?:(?:rejected|deferred|refused|delayed|reject|delay|message|mail|defer|rejection)(?: \.)? )?(?:please )?(?:(?:try|retry|resend)(?: again)?(?: your message| delivery| this message)?(?: later| shortly| soon)?|deferred|message deferred)(?: on)?(?: \.)*(?: (?:\S*\d\S*|tempfail))?$/,
    ),
    "a bare request to try again is how several servers greylist",
    { codes: [450, 451], stages: ["rcpt"] },
  ],
]);

export const TLS_RULES: readonly Rule[] = phrases("tls_required", [
  [
    "encryption-first",
    any`
      (issue|use|send|requires?|need|want|run|do) (an? |the )?(tls |esmtp )?starttls
      starttls (command )?(is )?(first|required|needed|mandatory|not (used|issued))
      (tls|ssl|ssl or tls|tls or ssl\w*|encryption|cryptography|encrypted (connection|session|channel|transport)) (connection |session )?(is |was )?(required|needed|mandatory|necessary|enforced)
      requires? … (tls|ssl|encrypt\w*|starttls)\b
      requires? (the )?(use of )?(high-strength|strong\w*) ciphers
      must (be )?… ?(tls|ssl|encrypted|starttls|secured)\b
      only … (over|via|using|with|on|through) (an? )?(tls|ssl|encrypt\w*|starttls|secure (connection|channel))
      not … (over|via|without|using) (an? )?(tls|ssl|encrypt\w*|unencrypted|insecure|starttls|secure (connection|channel)|plain ?text)
      (unencrypted|plain ?text|insecure|unsecured|cleartext|non-?tls) … (not|refused|rejected|forbidden|disallowed|prohibited|denied)
      session encryption
      encryption (too weak|level|needed|strength)
      wasnt sent over a tls
      tls (encryption )?only
      requiretls
      please (use|enable) (tls|ssl|starttls|encryption)
      (no|without|lacks?) (tls|encryption|starttls) … (refused|rejected|not (allowed|accepted)|denied|connection)
    `,
    "it wants an encrypted session first",
    {
      unless: any`
        tls … (not|un) ?(currently )?available
        tls handshake
        dont (use|require)
        authentication … (tls|ssl|starttls) first
      `,
    },
  ],
]);

export const AUTH_RULES: readonly Rule[] = phrases("auth_required", [
  [
    "login-first",
    any`
      auth (failed|error)
      local users? only
      only … ?(for )?local users?
      (smtp[ -]?)?auth(entication)?( is| was)? (first )?(required|needed|mandatory|necessary|not enabled)
      requires? (smtp[ -]?|sender |valid |user |an? |proper )*(auth\w*|login|log ?in|credential|password)
      must (first )?(be )?(auth|log ?in|login|log on|sign in)
      (need|have) to (be )?(auth|log ?in|login)
      please (first )?(auth|log ?in|login|turn on smtp auth|enable smtp auth)
      (client|sender|session|connection|user|you) (host )?(rejected )?(was|is|were|are|has|have)? ?(not|never|nt) (been )?(properly )?authenticat
      (client|sender|you)( \S+)? (are|is|was)? ?(isnt|wasnt|arent) authenticat
      not authenticated (to|for|by)
      (un|non-?)authenticated (senders?|clients?|users?|connections?|relay\w*|sessions?|mail) … ?(not|cannot|refused|rejected|denied|prohibited)
      anonymous … (not|refused|rejected|denied|prohibited|forbidden|restrict)
      (not|no|cannot|refused|without) … (anonymous|authenticat\w*)\b
      (only|from) authenticated (users|senders|clients|sessions)
      (authentication|authorization) (failed|failure|credentials invalid|unsuccessful|rejected|error|data|turned|before|exchange)
      (check|pop)[ -]?(mail)?[ -]?before[ -]?(send|smtp)
      pop before smtp
      (password|credentials) … (not|invalid|incorrect|required|rejected|bad|fail)
      (invalid|incorrect|bad|wrong) … (username|password|credentials|login|authentication)\b
      no (smtp )?auth\w*
      (only|allowed) … ?with (smtp )?auth
      receive your mail before
      (internal|inside|local) (senders|users|organi[sz]ation) only
      (accepts?|allowed?|restricted|only) … (internal|inside|within) … (senders?|users?|organi[sz]ation|company)
      outside … (organi[sz]ation|company) … ?(not|cannot|rejected|denied|prohibited)
      (not|cannot|rejected|denied) … (outside|external) … (organi[sz]ation|senders?|company)\b
      sender … not authenticated
      submission (port|service|only)
      (use|try|switch to) port (587|465)
      not logged in
      (log ?in|sign in|authenticate) (first|before)\b
      identity … (not|un) ?verified
      resolver\.rst\.(authrequired|sendernotauthenticated\S*)
      smtp ?auth
      autenticaci?on
      authentification (requise|obligatoire|necessaire)
      autenticazione
      authentifizier
      аутентифик
      авториз
      认证
    `,
    "it wants a login: a submission host, or a mailbox for insiders only",
    {
      unless: any`
        ip is rejected
        relay
        relaying
        \bspf\b
        \bdkim\b
        \bdmarc\b
        sender policy
        does not pass
        fails? to pass
        unauthenticated (mail|email|message)
        authentication (results|information|level|checks)
        domain authentication
        message authentication
        rcpthosts
        (must|should) pass
        (sender|domain|message|email) authentication
        not local\b
        too many (?!authentication|login|failed login)
      `,
    },
  ],
]);
