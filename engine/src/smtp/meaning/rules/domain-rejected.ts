/** Rejections of the whole domain: it accepts no mail, or not at this host. */

import { any } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

export const NO_MAIL_RULES: readonly Rule[] = phrases("domain_not_accepted", [
  [
    "takes-no-mail",
    any`
      null ?mx
      (host|domain|server|machine|system|site)s? (or domain )?(\S+ )?(does not|doesnt|not|never|do not|will not|wont) (accept|receiv|want|take)\w* (any |incoming |e-?)*(e-?mail|mail|messages)(?! from)( here| at all)?( \.| rfc|$)
      (does not|doesnt|never|will not) (accept|receive) (any )?(e-?mail|mail)( here| at all| for this domain)?( \.|$)
      no (inbound |incoming )?mail (service|is accepted|accepted|here)?( here| at all| on this (host|server)| for (this|that|the) (domain|host))?( \.|$)
      (domain|server|host|address|system) (is )?(for )?(parked|send-only|send only|sending only|outbound only)
      recipient address has null mx
      domain (is )?not used for (e-?)?mail
      domain … ?(receives|takes|accepts) no (e-?)?mail( here| at all)?( \.|$)
      mail exchanger … (does not|doesnt) (accept|receive) (any )?(e-?mail|mail|messages)( here| at all)?( \.|$)
    `,
    "the domain takes no mail at all",
    {
      mailbox: "does_not_exist",
      unless: any`
        from
        sender
        (your|sending|originating|envelope|client) domain
        (user|mailbox|account|recipient|address) … (does not|doesnt|not) (accept|receiv)
        over ipv6
        (currently|temporar|at this time|right now)
      `,
    },
  ],
]);

/** Tried before the IP rules: a relay rejection often names the IP as well. */
export const RELAY_RULES: readonly Rule[] = phrases("domain_not_accepted", [
  [
    "relay-check",
    any`relay check domain fail`,
    "it does not pass mail on for that domain",
    { stages: ["rcpt"], isWholeClause: true },
  ],
  [
    "relay",
    any`
      (no|not|dont|cannot|cant|isnt|unable|unauthori[sz]ed|illegal|never|without|no longer|refus\w*|den(y|ies|ied)|reject\w*|required for|forbid\w*|prohibit\w*|disallow\w*|as an?) … ?relay(?!s\.)
      \S*relay(?!s\.)\S* … ?(not?|non|nicht|niet|nao|pas|denied|refused|rejected|prohibited|forbidden|disallowed|disabled|blocked|off|fail\w*|interdit|verboten|refuse|unauthori[sz]ed|required|unavailable for)\b
      rcpthosts
      relais
      not (a |an )?(open )?gateway
      ретрансл
    `,
    "it does not pass mail on for that domain",
    {
      stages: ["rcpt"],
      mayNameClient: true,
      unless: any`
      relay … ?(limit|quota|rate|hops)
      (limit|quota) … relay
      relay … (down|timeout|timed out|unavailable|unreachable|not responding|temporar\w* (?!denied|refused))
      relay … ?(next hop)
      open(-| )?relay (?!(is )?not)
      an? open(-| )?relay
      (spam|junk) … relay
      relay @ip
      unresolv\w+ relay
      isps? … relay
      relay (at|of) your
      (list|blocked|blacklist)\w* … relay
      relay recipient table
      bypass
      relay (server )?(is )?not (ready|running|available)
      (user|recipient|addressee) unknown
      your relay
      (unlisted|unknown|foreign|untrusted|other) relays?
      connections from
      not exist
      relaying disallowed as
    `,
    },
  ],
]);

/** Words of a reply about the client or about one mailbox, not about the domain. */
const OF_CLIENT_OR_MAILBOX = any`
  {sender}\b … ?(domain|not|host)
  (your|sending|sender|from|envelope|purported|mail from|originating) … ?domain
  domain of (the )?sender
  helo
  ehlo
  (mail|messages?) from
  \bspf\b
  dkim
  dmarc
  too many
  policy
  (client|remote|sending|your) host
  (host|ip) address
  (user|account|mailbox|recipient|address) (\S+ ){0,3}(unknown|not found|does not exist|doesnt exist|not exist)
  unknown (user|alias)
  no such (user|rcpt|recipient|mailbox)
  (address|alias|recipient|mailbox|account) (is |was )?not (configured|registered)
  (accept|receive)\w* (any )?(mail|messages|email) from
  cannot deliver mail (for|to)( \.|$)
  no route to host
  member of (the |this |our )?domain
  mail for (that|this|the|such) (user|recipient|mailbox|address)(?!s? domain)
`;

export const DOMAIN_RULES: readonly Rule[] = phrases("domain_not_accepted", [
  [
    "no-such-domain",
    any`
      no such domain
      (recipient|your|the|this|destination|target|to)? ?domain (name )?(\S+ )?(does not|doesnt|do not|not|isnt) (exist|found|resolve)
      domain … (does not|doesnt) exist
      domain not found
      non-?exist\w+ domain
      dead domain
    `,
    "it says that the domain does not exist",
    {
      stages: ["rcpt"],
      mailbox: "does_not_exist",
      mustNameDestination: true,
      unless: any`{sender}\b
      helo
      at this (server|host|site|location)
      (in|on) (our|my|the|this)
      here
      (may|might|could) not exist
    `,
    },
  ],
  [
    "domain-not-here",
    any`
      (host|site)s? (is |are |was )*(not (a )?(local|hosted|handled|served|configured)|unreachable|unroutable)\b(?! (for )?@ip)
      host it isnt
      (domain|zone)s? … ?(is |are |was |has been |not |isnt |been )*(not (\S+ )?(hosted|handled|local|accepted|allowed|served|configured|supported|listed|provisioned|registered|managed|permitted|ours|active|here|available|in(?! (the |our )?dns)|a local|one of|authori[sz]ed|mine|protected|reachable|enabled|set ?up)|suspended|disabled|expired|inactive|closed|deactivated|terminated|unsupported|locked|unreachable|unroutable|isnt)\b
      (unsupported|non-?local|foreign|unhosted|inactive|disabled|suspended|expired|unroutable) (recipient |destination |mail |rcpt |email |local |target |host or )*(domain|host|system|site)\b
      (not|dont|doesnt|do not|does not|cannot|cant|isnt|arent|wont) (currently |yet |any ?more )?(accept|handle|host|serve|deliver|responsible|route|receive|support|know|process|configured|take|hosting|manage)\w* (for |to |any |incoming |e-?mails? |mails? |messages? |this |that |the |your |such |specified |users |recipients |recipient |destination |\S+\.\S+ )*(domains?|this host|that host)\b
      (dont|do not|doesnt|does not|cannot|cant|not|never) (handle|accept|host|receive|deliver|process|take|route|do|responsible for|configured (for|to accept)) (any )?(e-?mail|mail|messages) (for|to|destined|addressed)
      not (responsible|authoritative|the mail ?server|an? (mx|mail exchanger)|the (final )?destination|a destination) for( \.|$| (mail |e-?mail )?(for |to )?(this|that|the|your|its|\S+\.\S+))
      user(s)? not local
      not local\b
      (mail|messages?|e-?mails?) (for|to) (this |the |that )?(domain|host|\S+\.\S+) (is |are )?(no longer |not )(be )?(accept|receiv|handl|deliver)\w* (here|at|on|by)
      (dominio|domaine|domain|domena|domeny) … (no|non|pas|nicht|nie|nao) … ?(aloja|heberge|hosted|gehostet|ospit|hosped|obslug|local|configur)
      домен … не (?!на[ий]ден|существует|известен)
      not (one of )?(our|my|a (?!valid|known)) … ?domains?\b
      non-?local (recipient|address|user|domain|e-?mail)
      not (a |an )?local (address|host|domain|e-?mail|recipient|destination)
      no (route|transport|mail ?route)( \S+)? (for|to|found|record|entry)
      (unable|cannot|failed|impossible) to route
      (tenant|organi[sz]ation) … (not (found|exist|provisioned|configured|active)|disabled|suspended|no mail-enabled)
      unrout\w+ (mail )?domain
      domain … not rout
      tenantattribution
      no mail-enabled
      (customer|account|company) … (inbounds? disabled|not (a )?(customer|provisioned))
      (does not|doesnt) have (an? |any )?(mail |e-?mail )?forwarding (record|rule|entry|configuration)(?! for)
      (served|handled|hosted) by (another|a different) 
      destination … (unknown|not (allowed|accepted|configured|local))
      we (do not|dont|no longer) (host|serve|handle) (e-?mail |mail |messages )?(for |to )?(this|that|the|such|it|domains?|\S+\.\S+)
      mail(s)? (for|to) … (domain|host) … (not|denied|refused|rejected)
      (not|isnt) (in|on) (my|our|the) (list of )?(control|local domains|allowed (domains|hosts)|hosted domains|rcpt ?hosts)
      single label domain
      reserved by rfc 2606
      this (host|server|system|machine) (is not|isnt) (an? |the |your )?(\S+ )?(mx|mail exchanger|mail ?host|destination|responsible|gateway)\b
      (specified|that|this) domain (is )?not allowed
    `,
    "it does not handle that domain",
    {
      stages: ["rcpt"],
      unless: OF_CLIENT_OR_MAILBOX,
    },
  ],
  [
    "domain-unknown",
    any`
      (host|site)s? (is |are |was )*(not found|unknown)\b(?! (for )?@ip)
      (domain|zone)s? … ?(is |are |was |has been |not |isnt |been )*(not (\S+ )?(recogni[sz]ed|known|found|valid)|unknown|invalid)\b
      (unknown|invalid|bad|illegal|wrong|unrecogni[sz]ed|incorrect) (recipient |destination |mail |rcpt |email |local |target |host or )*(domain|host|system|site)\b(?! (name |for )?@ip| name)
      not a (valid|known) … ?domains?\b
      no such domain
      ^no domain( \.|$)
      no mx( \S+)? (for|to|found|record|entry)
      host name lookup
      (domaine|domain|dominio|domane|domena) … (inconnu|nicht|non|no es|no esta|nie )
      домен … не
    `,
    "it does not know that domain",
    { stages: ["rcpt"], mustNameDestination: true, unless: OF_CLIENT_OR_MAILBOX },
  ],
]);
