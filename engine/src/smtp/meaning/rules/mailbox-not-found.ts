/** Replies that the mailbox does not exist. Only these prove that an address is invalid. */

import { any } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

/** The plainest sentences. They hold whatever else is in the reply, unless it points to the client. */
export const PLAIN_RULES: readonly Rule[] = phrases("mailbox_not_found", [
  [
    "plain-no-such-user",
    any`
      no such (local )?user
      user (is |was )?(unknown|not known)
      unknown user(?!s)
      (user|mailbox|account|recipient) (does not|doesnt) exist
      not an? (active|known|existing|valid) (address|user|mailbox|recipient) (at|on|of) this (host|server|system|domain)
    `,
    "it says plainly that there is no such mailbox",
    {
      severity: 5,
      unless: any`
        sender
        mail ?from
        callout
        callback
        verif
        too many
        excessive
        limit
        or\b
        relay (denied|access|not)
        relaying
        gr[ae]y
        (your|from) (ip|host|server|network)
        block
        black
        spam
        helo
        \S*rbl\b
        disabled
        inactive
        full\b
        quota
        temporar
        (log ?in|sign in|authenticate)\b
      `,
    },
  ],
]);

export const NOT_FOUND_RULES: readonly Rule[] = phrases("mailbox_not_found", [
  [
    "no-such-mailbox-idiom",
    any`
      (verify|verification) (of )?(recipient|rcpt|address|user) (failed|error)
      (recipient|rcpt|address|user) (verify|verification) (failed|error)
      (address|user|recipient|mailbox) error
      failed recipient validation check
      email address lookup in domain map failed
      user missing home directory
      command rcpt user not ok
      no redirect entry for this address
      local server (dont|doesnt) exists that user
    `,
    "it says that there is no such mailbox",
    { isWholeClause: true },
  ],
  [
    "no-such-mailbox",
    any`
      unknown (local |virtual |or illegal |or invalid |internal |email |mail |smtp |e-mail |pop3? |domino |destination |or \S+ )*{user}
      {user}\b … ?(name )?(is |was |are |were |been |an? )*(not known|unknown|unkown|unknow|unknwon|nonexist\w*|not recogni[sz]ed|unrecogni[sz]ed|unrouteable|undeliverable)
      {user}\b … ?unknown\b
      unknown (to|here|at this|in)\b
      (user|recipient|addressee) unknown
      userunknown
      no such (\S+ ){0,2}?({user}|person|name|one|local|here|object|entry|people|individual|student|employee|id|mail drop)
      no such (?!message|attachment|content|type|header|format|service|sender|domain|host|command|file|table|option|extension|route|process|network|device)\S+( \.|$| (here|at|in|on|for|by|with)\b| \S*\d)
      ^(\S+ ){0,4}not? ok( \.|$)
      cannot deliver (mail|message|it)? ?(for|to)( \.|$)
      no recipients? (for|here)
      list of (allowed|valid) recipients
      {user} … (not|isnt) (in|on) (my|our|the|this) (\S+ )?list
      {user} (is |was )?(not|isnt) (in|on) (route|routing|recipient|user|address|mailbox|account) list
      (cannot|can not|cant|unable to|could not) route( to)?( \.|$)
      (cannot|can not|cant|unable to|could not) route (to |mail to )?(this |the |that )?{user}
      (not|doesnt|does not|dont|do not|no) (handle|accept|take|have)\w* (mail|e-?mail|messages) for (this|that|such|the) ({user})(?!\S* (domain|host))
      {user} (has|have) no (mail|mailbox|e-?mail)
      (not known|unknown) (at|to|here|in|on)\b
      (unable to|cannot|could not|couldnt|failed to) (validate|verify) (the |this )?(recipient|user|rcpt|destination)(?! … ?(now|moment|because|due|until|without|yet|while|before|as|since|at this time)\b)
      knows? no (such )?(user|recipient|mailbox|person|address)
      (dont|do not|doesnt|does not) know (this|that|the|any|such)? ?(user|recipient|mailbox|person|address)
      not (a )?member of (the |this |our )?domain
      {user} … (cannot|could not|can not|couldnt|cant) be (verified|validated)(?! … ?(now|moment|because|due|until|without|yet|while|before|as|since|at this time)\b)
      nosuchuser
      so such (user|mailbox|recipient)
      (does|do|did|dose|dos|dosen|doesn)( not|nt|n t|t) (currently |appear to |seem to |actually |even |really |yet )?exists?
      (doesnt|didnt|dont|does not|not|no longer|never|isnt|wasnt) (currently )?exist
      not (an? )?(existing|existent)
      no(n|t)?[ -]?exist(ent|ing|s|ant)?\b
      (do|does|did) not ?exi
      no longer exists?
      no longer (valid|on (this |the )?server|on this system|here|a valid|hosted|recogni[sz]ed|registered|on file|resident)
      (deleted|removed|purged|erased) … ?({user}|from (our|the|this))
      {user} … (deleted|removed|purged|erased)
      {user}\b … ?(not|cannot be|could not be|couldnt be|cant be|wasnt|was not|is not|isnt|never) (be )?(found|located|resolved|identified|matched|looked up|recogni[sz]ed)
      (could not|couldnt|cannot|cant|can not|unable to|failed to|did not|didnt) (find|locate|resolve|recogni[sz]e|look up|lookup|match|identify) (the |this |a |any |that |such |your |valid |matching )*({user}|name)
      not found\b … ?({user}|directory|database|ldap|server|here|table|list)
      (recipient|user|mailbox|address|account|alias) notfound
      not find … ({user})
      invalid (or unknown |final |envelope |destination |local |email |mail |e-?mail |smtp |internet |virtual |specified |rcpt |to |target |delivery )*({user})
      {user}\b … ?(is |are |was |seems |appears |looks |appears to be )?(invalid|not (a |an )?valid|isnt valid|isnt a valid|incorrect|wrong|misspell\w*|bogus|not legal|illegal|no good)\b
      (not|isnt|no) (a |an |the )?(valid|known|legal|legitimate|correct|local|existing|real|recogni[sz]ed|registered|active|authori[sz]ed(?! to)|current|working|deliverable|good|defined|proper) (e-?mail |mail |local |recipient |user |mailbox |destination |internet |smtp |or |and |student |staff |company |registered |active |\S+\.\S+ )*({user}|customer|here|recipient)\b
      bad (destination |recipient |mailbox |envelope |email |e-?mail |rcpt |user )*({user})
      badrecipient
      (incorrect|wrong|mistyped|misspelled|nonexistent|undeliverable|unresolvable|unreachable) (recipient |email |e-?mail |destination |mailbox )*({user})
      (no|not|nobody) … ?({user}|one|person|body|customer|mailbox) (here|by that name|with that|with this|by this|of that|of this|for that|under|named|called|found|match|at this|at that|on this|exists?|defined|is defined|available (with|by|under|at) (that|this)|listed|registered)
      no (account|mailbox|mail box|user|recipient|alias|mbox|address|one|forwarding|entry) (here|by|with|for|found|named|match|of|at|on|exist|in|under|like|associated|assigned|available|configured)
      no (valid|matching|local|known|deliverable) (recipient|user|mailbox|address|account|alias|rcpt)
      mailbox here by that name
      by that name
      (account|mailbox|user|recipient|person) … ?by this name
      not (listed|present|registered|defined|contained|included|available|configured|provisioned|in|a user|an? \S+ user|on) … (directory|database|records|address ?book|table|ldap|list of valid|user list|valid recipients?|address list|recipient list|userlist|domino|name & address|validrcptto|passwd|this system|our system|this server|our server|my list of valid)
      {user}\b … ?(not|isnt|no longer) available (here|at this (site|address|domain|host))(?! (now|today|at|yet|currently|until|for))
      not in … (validrcptto|directory|recipient table|user table|list of valid|valid users|address book|valid recipients)
      (not|isnt) … (customer|user|subscriber|member|client|account|mailbox) (of ours|here|of (this|our)|on (this|our)|at this)
      (not|isnt) one of our (users|customers|accounts|recipients|members|addresses)
      not our (customer|user|client|subscriber)
      not a customer
      (doesnt|does not|dont|do not|has no|have no|hasnt|has not|without) (currently )?(have |got )?(a |an |any )?(\S+ )?(account|mailbox|mail box|e-?mail (account|address))\b
      not have (a|an|any) … (account|mailbox)
      (is|are|was|were) (not|nt) … (user|recipient|mailbox|account|alias|address) (here|at|on|of|in)
      unrout(e)?able (?!mail domain|domain)
      unrout(e)?able( \.|$)
      there is no … ?(one|user|mailbox|account|person|address|recipient|such)
      (nobody|no one|noone) … ?(here|by|with|at|named|called|home)
      no home directory
      recipient (not ok|not local|was not recogni|not recogni)
      cant accept user
      (address|recipient|user) (not|no) (present|listed|here|exist|found|known|valid)
      not a mailbox
      (does not|doesnt) belong to any
      mailbox (not here|missing|not present|not valid|not set up|not configured|not registered|not exist|no exist|nonexist)
      (alias|recipient|account) (is |was )?not (configured|registered)(?! (to|for|as|by|from|in your|with your|on your)\b)
      (address|alias|recipient) (is |was )?not configured for (e-?mail |mail )?(routing|forwarding)
      (account|user|mailbox|recipient) (has|have)(nt| not) (been )?(created|set up|registered|provisioned|initiali[sz]ed)
      not (been )?(created|provisioned|initiali[sz]ed|set up)
      resolver\.adr\.\S*notfound
      exrecipnotfound
      recipnotfound
      recipient ?notfound
      check (the |your |that |for )?(recipients? (e-?mail )?(address|name|spelling)|address|e-?mail address|spelling|user ?name)\b(?! (lists?|book|reputation|range|limit|policy|format|verification|quota|of your|in your))
      double-?check … (recipient|address|spelling|email)
      misspell
      (address|mailbox|recipient) (is )?marked (as )?invalid
      marked as invalid
      is not (a )?(\S+ )?local user
      user not (found|known|exist|here|listed|in|on|valid)
      vdeliver invalid
      addressee (unknown|not)
      (recipient|user|mailbox|name|address|account) … not (unique|defined|assigned)
    `,
    "it says that there is no such mailbox",
    {
      unless: any`
        domain … (not|doesnt|does not) (exist|found|resolve)
        (may|might|could) not exist
        no such (host|domain)
        non-?exist\w+ domain
        (?<!(at|in|on) (this|the|our) )(host|domain) … ?(unknown|not found)
        unknown (host|domain)
        not (valid|allowed) … (from|sender)
        unknown (error|command|option|reason|parameter|problem)
        invalid (parameter|command|argument|syntax)
        user not local
        alias loop
        (directory|ldap|database|backend) … ?(down|unavailable|time|error|fail)
        not (registered|allowed|permitted|authori[sz]ed|entitled) to (receive|accept|send)
        (in|of|with) (the |your )?(mail ?from|envelope|return path|reverse[- ]?path)\b
        (find out|whether)\b
        address ?book (is |was )?not
        (unsubscribe|signature|message-id|subject|attachment)\b
        (before|after|without) (rcpt|mail|data)\b
        bad address syntax
        (?<!recipient )address (\S+ )?is not a valid rfc
        mail loop
      `,
    },
  ],
]);

/** Single words without a subject. Tried when no sentence matched, and only if nothing points to the client. */
const CLIENT_OR_MESSAGE = any`
  sender
  (your|from) domain
  (your|sending) (account|quota)
  (your|this|the|from) (host|server|ip|message|mail|e-?mail|connection|address|network|helo|client)
  you\b
  message
  connection
  (backend|storage|disk|system|database)
  session
  client
  host
  server
  relay
  domain … ?(is|has|was|not)
  @ip
  command
  parameter
  argument
  option
  error
  helo
  ehlo
  dns
  spam
  polic
  content
  header
  attachment
  service (is|has|not)
  certificate
  license
  delivery
  try again
  administrator
`;

export const SINGLE_WORD_RULES: readonly Rule[] = [
  ...phrases("mailbox_full", [
    [
      "full-alone",
      any`
      quota
      mailbox … full( \.|$)
      (is |mailbox )?full( \.|$)
    `,
      "the text mentions a quota or a full mailbox",
      { unless: CLIENT_OR_MESSAGE },
    ],
  ]),
  ...phrases("mailbox_disabled", [
    [
      "shut-alone",
      any`
        \S*inactiv
        disabled
        deactivat
        suspended
        locked
        expired
        frozen
        dormant
        closed
        terminated
        archived
        discontinued
      `,
      "it says that something is shut, and names nothing of ours",
      { unless: CLIENT_OR_MESSAGE },
    ],
  ]),
  ...phrases("mailbox_not_found", [
    [
      "missing-alone",
      any`
        ^unknown( \.|$)
        ^not found( \.|$)
        ^invalid( \.|$)
        unknown( \.|$)
        not found( \.|$)
        not exist( \.|$)
      `,
      "it says that something is missing, and names nothing of ours",
      { severity: 5, unless: CLIENT_OR_MESSAGE },
    ],
  ]),
];
