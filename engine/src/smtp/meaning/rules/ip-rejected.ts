/** Rejections of the connecting host: its IP, name, country or reputation. */

import { any, exactly } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

/**
 * Tried first: which clients are admitted, and where the domain's mail goes. They use the words of a missing mailbox
 * ("does not exist in our whitelist", "no such address here").
 */
export const ADMISSION_RULES: readonly Rule[] = [
  ...phrases("ip_blocked", [
    [
      "our-kind-of-traffic",
      any`
        (do not|dont|does not|doesnt|not|never|no longer|cannot|wont|will not) (accept|allow|take|permit|want|receive)\w* … ?traffic\b
        traffic (is |from )?… ?not (accepted|allowed|permitted|welcome)
        (kein|keinen|aucun|ningun|nessun) (\S+ )?(traffic|trafic|trafico|traffico|verkehr)
      `,
      "it does not take mail of the kind we bring",
      { subject: "our_host" },
    ],
    [
      "not-on-their-list-of-servers",
      any`
        (in|on|from|of|to|within) (our|my|the|this) (\S+ )?(white-?list|white list|allow-?list|allow list|pass-?list)
        (liste blanche|lista blanca|lista bianca|lista branca|positivliste|weisse liste|weissen liste|bialej liscie|witte lijst|bela lista)
        бел\S+ спис
        白名单
        ホワイトリスト
        화이트리스트
      `,
      "our server is not on the list of those it hears",
      {
        subject: "our_host",
        severity: 5,
        unless: any`
          (recipient|user|mailbox|owner|account)s? … ?(white|allow)
          (white|allow)-?list … ?(of|for|by) (the |this )?(recipient|user|mailbox|owner|account)
          {sender}\b
          list of (allowed|valid) recipients
        `,
      },
    ],
  ]),
  ...phrases("temporary_failure", [
    [
      "mail-route-leads-elsewhere",
      any`
        (mx|mxs|mx records?|dns|domain) … ?(do not|does not|dont|doesnt|not|isnt|arent) (point\w*|resolve\w*|directed|set|refer\w*) … ?(us|here|this (server|host|machine|system))\b
        (not|isnt) … ?(mx|mail exchanger) (for|of) this domain … ?(any ?more|moved)
      `,
      "it sees other mail hosts for the domain than we do",
      { subject: "their_domain" },
    ],
  ]),
];

export const IP_RULES: readonly Rule[] = [
  ...phrases("ip_blocked", [
    [
      "listed-address",
      any`
        (blocked|rejected|refused|denied|banned|listed|blacklisted|found|present|included|appears|is|are|was|bounced|dropped) … ?(using|by|at|on|in|via|per|due to|from|because of|against) (the |an? |our |my |one of our |one or more )?{list}
        @ip … (blocked|blacklist|black-?list|black list|block-?list|banned|rejected|refused|denied|barred|listed|flagged|identified|poor|not (allowed|permitted|accepted|authori|welcome)|is on|is in|found in|found on|spam)
        (blocked|blacklisted|banned|rejected|refused|denied|block|listed|bad) … ?(ip )?@ip
        \S*(dnsbl|rbl)\b
        (realtime|real-time|real time|dns|ip) (black|block) ?-?(hole )?list
        (black|block) ?-?listed (at|by|on|in|ip|host|server)
        (blackhole|black hole)
        (blocked|listed|rejected) (using|by|at|in) \S+\.(org|net|com|info|de)\b
        listed (in|at|on|by) \S+\.\S+
        you are (black|block|list|on our|on my|in our|on the|spamm)
        (you|your \S+|host|ip|server|address|@ip) … ?(in|on) (our|my|internal|local|private) … ?(list|database)
      `,
      "our address is on a blocklist",
      {
        unless: any`
          (your |the )?(sender|recipient|from|e-?mail)s? … ?(address|domain|user|email|is|was|has) … ?(on|in|by|black|block|list)
          (blocked|blacklisted) by (the )?(recipient|user)
          \bdbl\b
          \S*dbl\.\S*
          \burls?\b
          \buri
          user unknown
          no such user
          \bspf\b
          \bdkim
          \bdmarc
          {sender} (domain|address) (is )?(black|block|listed)
          domain is listed
          blocked senders
          (recipient|user) … (not|doesnt) exist
          your (domain|e-?mail|email address)
          (recipient|user)s? (address )?(is )?(not|isnt) (in|on)
          (allowed|valid) (recipients|rcpts|users)
          user s? ?(reject|black|block) ?list
        `,
      },
    ],
    [
      "our-address",
      any`
        (your|the|this|that|sending|source|connecting|client|remote|senders?|originating|peer|server|bad|invalid|dynamic|residential|unknown|suspicious|mail|sendings?|mtas?) … ?(ip|ips|ipv4|ipv6|ip-address|ip address|ip addresses|netblock|network|subnet|ip range|mta)\b … ?(block|reject|refus|den(y|ied)|ban|black|list|reput|abus|suspicious|spam|not (allow|permit|accept|authori|welcome|in)|forbid|prohibit|bad\b|poor|dynamic|suspend|unauthori|unaccept|untrust|no longer|restrict|prevent|has been|is in|is on|compromised|bot|infect|does not|doesnt|not have|must|identified|flagged|unknown|invalid|was|blocked)
        (bad|banned|blocked|rejected|untrusted|unauthori[sz]ed|suspected spam|spam|abusive|blacklisted|dynamic|forbidden|refused|suspicious|extreme) (sending |sender |senders |client |source |mail )?(ips?|hosts?|servers?|networks?|ip address(es)?|ip profile)\b
        ip (is )?(blocked|blacklisted|banned|rejected|listed|denied|refused|not|hangup)
        (unacceptable|bad|invalid|black|blocked|banned|wrong|untrusted|risk|risky) (client |remote |source |sender )?(ip|address @ip|client address)\b
        open-?relay
        ip @ip (is )?(under|being|in)
        (based|due|owing|because) (on|to|of) (your|the|its) (ip|network|server)
        (mail|email|messages?) over ipv6
        ipv6 sending guidelines
        ip (address )?(you are|youre|you re) using
        not authori[sz]ed to send (e-?mail|mail|messages) directly
        connections? from dynamic
        (unregistered|unknown) (mail|sending) ?server
        your (mail ?|sending )?(server|host|ip|network|client) (is |was )*(unknown|not known|unrecogni[sz]ed|not recogni[sz]ed|not an? (known|valid|trusted|recogni[sz]ed))
      `,
      "it speaks about the address we connect from",
      {
        unless: any`
          \bspf\b
          sender policy
          \bdmarc
          \bdkim
          unverified
          for sender ip
          too many
          rate limit
          authenticat
          user unknown
          no such user
          size
          mailbox (is )?full
          over ?quota
          not exist
          not found
        `,
      },
    ],
    [
      "mail-from-our-address",
      any`
        (mail|messages?|e-?mails?|connections?|traffic|access|smtp|delivery|anything) … ?(from|by|of) (an? |the |some )?(@ip|your (ip|network|server|host|isp|location|country|region|system|mail ?server|mx|mta|provider)|this (ip|host|server|network|mta)|dynamic|dsl|dial-?up|residential|broadband|cable|home|hosting|cloud|vps|vpn|data ?cent(er|re)|servers|hosts|ips)
        dont (accept|want|like|receive) … from (you\b|your (?!domain|address|email)|@ip|this (?!sender|domain|address|user)|dynamic)
        (not|never|no longer) (accept\w*|receiv\w*|allow\w*|tak\w*) … from (you\b|your (?!domain|address|email)|@ip|this (?!sender|domain|address|user)|dynamic)
        dynamic( or \S+)* (ip|address|host|pool|dsl)
        dial-?up
        direct-to-mx
        (your|senders) (isp|internet service provider|provider|network administrator)s? … ?(smtp|mail|server|relay|gateway)
        (smtp|mail) (server|relay|gateway) (of|at|from) your (isp|provider|service|internet)
        generic (ptr|rdns|reverse|dns|hostname|host name|rdns)
        no access from
        bypass\w* … relay
        (not|never|dont|doesnt) accept\w* connections from
        not accepting (mail|messages|email|connections) from (?!\S+ sender|this (sender|domain|address)|sender)
      `,
      "it takes no mail from where we are",
      {
        unless: any`
        \bspf\b
        \bdmarc
        \bdkim
        too many
        rate limit
        too (fast|quickly)
        user unknown
        relay
        (user|recipient|mailbox) (is )?(not|isnt) (allowed|permitted|able) to receive
      `,
      },
    ],
    [
      "reverse-name",
      any`
        ptr\b
        \S*rdns
        rvdns
        reverse ?-?(dns|lookup|address|name|record|resol|hostname|host name|entry|mapping|ip|domain|map|zone)
        (find|resolve|lookup|determine|look up) (the )?(your|client|clients|reverse|its)( \S+)? (host ?name|host|address|ip\b|name)
        ip name lookup
        (remote|client|peer) ip (check|error|not)
        forward ?-?(confirm|dns|lookup|resol)
        fcrdns
        (hostname|host name|client name|client host|helo name|ip) … (does not|doesnt|not|didnt) (resolve|match|map) … ?(ip|address|@ip|name)
        mismatches client
        dns (check failure|name does not match|entry for (your|the) ip)
        in-addr
        inverse (dns|resol|lookup)
        unresolv\w+ … (host|client|ip)
        unable to (resolve|find|determine|lookup) … (host ?name|dns name|your)
        full circle
        may not be mail exchanger
        (no|missing|invalid|bad|without) (valid )?(dns|host ?name|name) (for|entry|record) … (@ip|ip|your|client)
        resolution inverse
      `,
      "the reverse name of our address is missing or does not match",
      {
        unless: any`
        \b(helo|ehlo)\b
        sender domain
        domain of sender
        sender address
        mx record
        recipient … not (found|exist)
        user unknown
      `,
      },
    ],
    [
      "our-reputation",
      any`
        (poor|bad|low|negative|insufficient|no|unknown|none or bad|lousy|your|ip|senders?|servers?|mtas?|sending|network|host|senderbase|local ct ip|risky|suspect|unfavou?rable) … ?reputation
        reputation (of|is|score|too|problem|below|filter|block|reject|based|issue|reason|check)
        (ip|domain) … reputation
        sender ?score
        (spam|abus\w*|junk|virus\w*|unsolicited) … from (your|this|the) (ip|server|host|network|address|mail)
        (you|your (host|server|system|ip|network|computer)|this host) (are|is|has been|have been|was|were|appears?|seems?|look\w*) … ?(spamm?|a spam|blocked|banned|infected|compromised|open (relay|proxy)|sending spam|zombie|bot\b)
        open (proxy|relay) (detected|found|host|server|list)
        (an? )?open (relay|proxy)\b
        rejecting open
        (spam|abuse) (source|origin)
        known spam
        spammers? (ip|host|list|network)
        (is|are) (a )?spammers?
        too many (spams?|unwanted|junk)
        currently sending spam
        (user|spam|abuse|customer) complaints
        looks (suspiciously )?like (a )?spam
        suspected spam ip
        (trust|untrusted) (network|host|server)
        permanently deferred
        senders? not (yet )?trusted
      `,
      "our standing with that server is bad",
      {
        unless: any`
        \bdkim\b
        \bspf\b
        \bdmarc
        (message|mail|email|content|attachment|it) … (looks|appears|seems|considered|classified|identified) … spam
        user unknown
        relaying denied
        not an open relay
        open relay (is )?not
        by (the )?recipient
        users (reject|black|block) ?list
      `,
      },
    ],
    [
      "our-country",
      any`
        (your|from|sender|source|client|blocked|banned|restricted|foreign|ip)s? … ?(country|countries)\b
        countr(y|ies) (is |are )?(block|reject|ban|not|list|restrict)
        geograph\w+ (loc|restrict|reason|region|filter|block)
        geo ?-?(ip|block|loc|fenc|restrict)\w*
        (your|this) (geographic )?region
        (asn|autonomous system)\b
      `,
      "it refuses mail by where we are in the world",
    ],
    [
      "host-refused",
      any`
        (connections?|your (host|server|system|mail ?server|mx|network|connection|mta|ip|machine|relay|provider)|this (host|server|connection)|remote host|connecting host|client host|the client|client|host network|(server )?access from|access to (this|our)|hosts?|sending (host|server|mta)|smtp (connection|session)|(your|remote|sending|connecting|this) mail server)\b … ?(refused|rejected|denied|blocked|banned|forbidden|prohibited|barred|disallowed|blacklisted|not (be )?(allowed|accepted|permitted|authori[sz]ed|welcome|trusted)|unauthori[sz]ed|dropped|listed|not passed)
        (refused|rejected|denied|blocked|banned|not accepting|refusing|rejecting|deny) (the |your |this |all )?(connections?|host|client|access from|server|hosts)
        not allowed to (connect|talk|access|send (mail )?(to|directly))
        not authori[sz]ed to (connect|send (e-?mail|mail|messages) (directly )?to)
        not accepting connections
        (not|dont|no|wont) (want|like|talk|speak|deal)… ?(to |from |with )?(you|spammers?)\b
        go away
        you are not welcome
        blocked for (abuse|spam)
        get lost
        abus\w* (detect|host|ip)
        fix (your )?(reverse )?dns
        confirm this mail server
        (server|host) requires confirmation
        (removal|(?<!(was|been) )removed|remove|delisted?|unblock\w*|whitelist\w*) … (from|visit|contact|see|request|list|this|go to|at)
        (request|for|to) (removal|delisting|unblocking|unlist|whitelisting)
        on (the|our|a|my) block
        no smtp service (here|for|is)
        your access to (submit|this)
        access to this (mail |e-?mail )?(system|server)
        service (is )?(not available|unavailable|refused) … (your|for) (ip|host|network|client)
        service unavailable (client|host)
        mail ?server (is|has been|was) (currently )?blocked
        blocked by (admin|our|your|the|local|firewall|spam|barracuda|proofpoint|symantec|mail|filter|security)
        banned\b
        blacklisted\b
        black ?listed\b
        (is|been|are|was) blocked\b
        poor reputation
      `,
      "it refuses the host that connects",
      {
        unless: any`
          socketerror
          sender (address |domain |email )?(is |was |has been )?(rejected|blocked|denied|blacklisted)
          (email|e-?mail|domain|from|sender|message|content|url|attachment|recipient|user|mailbox|account)s? … (is |was |been |are )?(blocked|banned|blacklisted|black ?listed|denied)
          recipient (address )?(is |was )?rejected
          \bspf\b
          \bdmarc
          \bdkim
          authenticat
          too many
          relay
          helo
          ehlo
          user unknown
          no such user
          (account|mailbox|user|recipient) … ?(blocked|disabled|suspended|locked|inactive)
          timed? ?out
          host unknown
          host not found
          next hop
          upstream
          content\b
          mail ?from domain
          by (the )?recipient
          not (exist|found)
          (message|content|attachment|virus|spam) … (rejected|blocked|refused)
          \burl
          over ?quota
          administrative prohibition
          by (the |their |this )?(organi[sz]ations?|company|tenant)\b
        `,
      },
    ],
  ]),
  {
    id: "list-link",
    category: "ip_blocked",
    token: exactly(
      /(?:https?:\/\/|www\.)\S*(?:[?&]ip=\d|deny_?ip|invaluement|spamhaus\.org(?!\/dbl|\/query\/domain)|spamcop|barracudacentral|sorbs\.net|cloudmark|senderscore|dnsbl|ipcheck\.proofpoint|uceprotect|abuseat|mail-abuse|ers\.trendmicro|ipremoval|senderbase|talosintelligence|mxtoolbox|spfbl|junkemailfilter|sender\.office\.com|delist|spamrl|blocklist|blacklist|unblock|cloud-security|rbl\.)/,
    ),
    unless: any`
      \bdbl\b
      \burls?\b
      \bdmarc
      \bspf\b
      user unknown
      no such user
      not exist
      quota exceeded
      exceeded storage allocation
      (e-?mail|sender|your domain|from) … (blocked|blacklist)
      mail ?from domain
      helo
      domain is listed
    `,
    why: "the link leads to the entry of our address in a blocklist",
  },
];
