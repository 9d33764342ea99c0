/**
 * Sets of words with one meaning, for use in phrases: "{user} unknown". Misspellings in them are real ones. The sets
 * that end in "abroad" are stems of other languages than English, without accents.
 */

export const NOUNS: Record<string, string> = {
  user: "(users?|user ?accounts?|mail ?address(es)?|recipi?ents?|rece?ipients?|recepients?|mail ?box(es)?|mbox|inbox|accounts?|addresse?s?|addressees?|e-?mails?|e-?mail ?(address(es)?|accounts?|id|box)|rcpts?|aliase?s?|person|customers?|subscribers?|username|user ?id|local-?part|local part|login|members?|mailuser|mailname|destination address|destination|maildrop|contact|userid)",
  sender:
    "(senders?|mail ?from|envelope(-| )?from|envelope(-| )?senders?|return-?path|return path|return address|reverse-?path|reverse path|reply-?to|originator|sender(s)? (address|domain|email|mail)|from (address|domain|header)|sending domain)",
  list: "(\\S*(rbl|dnsbl|spamhaus|spamcop|sorbs|barracuda|uceprotect|abuseat|senderscore|invaluement|nixspam|njabl|psbl|spfbl|mailspike|cloudmark|hostkarma|mail-abuse|spamrl|cobion|senderbase|talos|backscatterer|abusix|spameatingmonkey|lashback|blocklist|blacklist|blackhole)\\S*|black ?lists?|block(ed)? ?lists?|black-lists?|block-lists?|deny ?lists?|sbl\\S*|xbl|pbl|cbl|zen|bl|css|trend micro|reputation|spam ?(list|database)|spammer list|(our|my|internal|local|private) (bad |spam |ip |access )+(list|database|filter)s?)",
  host: "(hosts?|servers?|clients?|ip|ips|ip(-| )?address(es)?|mtas?|networks?|netblock|subnet|machine|relays?|mail ?servers?|mail hosts?|mx|gateway|system|@ip)",
  refused:
    "(refused|rejected|denied|blocked|banned|forbidden|prohibited|barred|disallowed|blacklisted|black-listed|black listed|blocklisted|block-listed|listed|unauthori[sz]ed|unwelcome|declined|restricted|suspended|not (be )?(allowed|accepted|permitted|authori[sz]ed|welcome|trusted))",
  insiders:
    "(mail ?box|recipient|address|account|user|group|list|distribution list|mailing list|folder|alias|conference room|room)",
  later: "(later|again|in a|shortly|soon|in \\d|after)",
  component:
    "(data ?bases?|director(y|ies)|tables?|maps?|back-?ends?|plug-?ins?|(?<!local )modules?|milters?|daemons?|processe?s?|queues?|spool|disks?|volumes?|partitions?|file ?systems?|clusters?|nodes?|storage|caches?|licen[cs]es?|configurations?|config|settings?|rule ?sets?|scripts?|sockets?|ports?|interfaces?|librar(y|ies)|prox(y|ies)|scanners?|filters?|engines?|index|resolvers?|name ?servers?|replicas?|workers?|threads?|polic(y|ies)|rules?(?! imposed)|profiles?|lookups?(?! (in|failed))|books?|stores?|catalogue?s?|agents?|api|programs?|(?<!mail |locals )files?|expansion|schemas?|log ?files?|logs|version|maintenance|migration|synchroni[sz]ation)",
  session:
    "(sessions?|transactions?|handshakes?|parameters?|arguments?|extensions?|pipelining|passwords?|passphrase|credentials?|tokens?|certificates?|ciphers?|tls|ssl|starttls|nonce|brackets?|verbs?|quotes?|characters?|colons?|at sign|challenge|captcha)",
  record:
    "(ptr|rdns|reverse dns|reverse name|spf|dkim|dmarc|arc|bimi|dane|tlsa|(?<!mx |forwarding )records?|zone|selector|public key|keys?|helo|ehlo|host ?name|reply-?to|message-?id|(bounce|callback|call-?back|reply|envelope) (address|mailbox|account)|return (address|mailbox)|reply address|abuse (address|contact|mailbox|desk)|from (header|line|field)|header from|unsubscribe|feedback loop)",
  content:
    "(attachments?|receipts?|invitations?|subject|headers?|body|contents?|signatures?|links?|urls?|images?|pictures?|charset|character set|encoding|mime|format|template|campaigns?|newsletters?|keywords?|macros?|scripts?|language|virus|malware|phishing|text|footer|disclaimer)",
  count:
    "(numbers?|count|counter|rate|ratio|percentage|share|amount|total|limit|threshold|score|maximum|history|statistics|series|record|report|list|lists|log|kind|type|class|sort|names?) (of|for)",
  // Not a set but a condition: the next word does not follow a preposition.
  nopreposition:
    "(?<!\\b(in|on|by|from|at|of|with|to|via|per|into|against|through|within) ((the|our|my|your|this|that|these|any|a|an|its|their|all|local|virtual|relay|users?|recipients?|mail ?box|alias|accounts?|valid|address|public|global|internal|central|ldap|domino|active|company|corporate|synchroni[sz]ed|groupwise|organi[sz]ations|known|name|mail|domain|&) )*)",
  // The last word of a phrase, unless it is an article or a preposition.
  lastword: "(?!(this|that|the|our|my|your|any|an?|in|on|at|of|to|for|by|with|from|ldap|domino|home)\\b)\\S+",
  boxabroad:
    "(destinataires?|utilisateurs?|usager|adresses?(?! ip)|comptes?|boites?|bal|messagerie|abonne|empf(a|ae)nger\\w*|adressat\\w*|benutzer\\w*|nutzer\\w*|postf(a|ae)ch\\w*|konto|teilnehmer|e-?mail-?adresse|mail-?adresse|zieladresse|kennung|usuarios?|cuentas?|buzon(es)?|destinatarios?|casillas?|direccion(?! ip)|correo|utente|casella|indirizzo(?! ip)|posta|contas?|caixas?|endereco(?! ip)|utilizador|gebruiker\\w*|ontvanger\\w*|geadresseerde|postvak|adres|e-?mailadres|mottagare\\w*|anvandare\\w*|brevlada\\w*|adress\\w*|bruker\\w*|mottaker\\w*|postkasse\\w*|modtager\\w*|bruger\\w*|vastaanottaj\\w*|kayttaj\\w*|postilaatik\\w*|osoite\\w*|saaja|adresat\\w*|uzytkownik\\w*|odbiorc\\w*|skrzynk\\w*|kont[ao]|adresu?|uzivatel\\w*|prijem\\w*|schrank\\w*|adresa|ucet|cimzett\\w*|felhasznalo\\w*|postafiok\\w*|fiok\\w*|utilizator\\w*|destinatar\\w*|casuta|contul|kullanici\\w*|alici\\w*|hesa[pb]\\w*|posta kutusu\\w*|pengguna|penerima|akun|alamat|korisnik\\w*|primatelj\\w*)",
  absentabroad:
    "(inconnue?s?|introuvables?|inexistante?s?|invalides?\\b|incorrecte?\\b|erronee?|n ?existe|pas (ete )?trouvee?|non trouvee?|pas valide|unbekannt\\w*|nicht (gefunden|bekannt|vorhanden|g(u|ue)ltig|existent|registriert|angelegt|zustellbar)|existiert (hier )?nicht|ung(u|ue)ltig\\w*|falsch\\w*|unzustellbar|no (existe|valid|es valid|se (encuentra|encontro|ha encontrado)|encontrad|fue encontrad|(esta )?registrad)|desconocid[oa]|inexistente|incorrect[oa]|invalid[oa]|sconosciut[oaie]|non (esist|trovat|valid|e valid|present|registrat|e stat[oa] trovat)|inesistent[ei]|errat[oa]|nao (existe|foi encontrad|encontrad|e valid|esta (cadastrad|registrad|registad)|cadastrad)|desconhecid[oa]|nie (istnieje|zostal\\w* znalezion|znalezion|ma\\b)|nieznan\\w*|nieprawidlow\\w*|bledn\\w*|onbekend\\w*|bestaat niet|niet (gevonden|bekend)|finns (inte|ej)|okand\\w*|hittades inte|(findes|finnes|eksisterer) ikke|ikke (fundet|funnet)|ukendt\\w*|ukjent\\w*|ei (ole|loydy|loytynyt)|tuntematon|neexistuje|neznam\\w*|nenalezen\\w*|nem (letezik|talalhato)|ismeretlen|nu (exista|a fost gasit)|necunoscut\\w*|bulunamadi|mevcut degil|yok\\b|gecersiz|ne postoji|nepoznat|tidak (ada|ditemukan|dikenal|terdaftar))",
  shutabroad:
    "(desactiv\\w*|bloqu\\w*|suspend\\w*|fermee?\\b|archivee?|inacti\\w*|clotur\\w*|resilie\\w*|gesperrt|deaktiviert|inaktiv|geschlossen|stillgelegt|gek(u|ue)ndigt|abgelaufen|deshabilitad\\w*|inhabilitad\\w*|cerrad\\w*|cancelad\\w*|expirad\\w*|caducad\\w*|disabilitat\\w*|disat+ivat\\w*|sospes\\w*|bloccat\\w*|inattiv\\w*|chius\\w*|cessat\\w*|scadut\\w*|suspens\\w*|inativ\\w*|desativad\\w*|desabilitad\\w*|encerrad\\w*|zablokowan\\w*|nieaktywn\\w*|zawieszon\\w*|wylaczon\\w*|wygasl\\w*|zamkniet\\w*|geblokkeerd|uitgeschakeld|gedeactiveerd|opgeheven|avstangt?d?|sparrat?d?|inaktiverat?d?|deaktivert|lukket|suljettu|zablokovan\\w*|zrusen\\w*|deaktivovan\\w*|letiltva|felfuggesztve|blocat\\w*|dezactivat\\w*|kapatil\\w*|devre disi|askiya)",
  fullabroad:
    "(pleine?\\b|saturee?|depasse\\w*|voll\\b|uberf(u|ue)llt|(uber|ueber)schritten|ersch(o|oe)pft|llen[ao]|excedid\\w*|excedio|superad\\w*|supero|sobrepas\\w*|agotad\\w*|pien[ao]|superat\\w*|esaurit\\w*|chei[ao]|lotad[ao]|excedeu|ultrapass\\w*|esgotad\\w*|przepelnion\\w*|peln[ay]|przekroczon\\w*|vol\\b|overschreden|fuld\\b|fullt?\\b|tele\\b|plna|preplnen\\w*|megtelt|betelt|plina\\b|dolu\\b|dolmus|penuh|tays\\w*)",
};
