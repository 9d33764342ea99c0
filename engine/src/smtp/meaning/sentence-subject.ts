/**
 * The subject of a sentence. "Does not exist" counts against a mailbox only where the recipient is what does not
 * exist: said of a sender, of our server or of our IP, the same words reject the client.
 */

import type { ReplyCategory } from "./category.ts";
import { any, type Phrase, type Phrases } from "./phrase.ts";

export type Subject =
  | "recipient"
  | "their_domain"
  | "sender"
  | "our_host"
  | "their_system"
  | "content"
  | "conversation";

/** The subject of a rule by category, unless the rule overrides it. */
export const SUBJECT_OF: Record<ReplyCategory, Subject> = {
  accepted: "recipient",
  mailbox_not_found: "recipient",
  mailbox_full: "recipient",
  mailbox_disabled: "recipient",
  domain_not_accepted: "their_domain",
  greylisted: "conversation",
  rate_limited: "conversation",
  ip_blocked: "our_host",
  sender_rejected: "sender",
  policy_rejected: "content",
  tls_required: "conversation",
  auth_required: "conversation",
  temporary_failure: "conversation",
  protocol_error: "conversation",
  message_too_big: "content",
};

/** A table of this file, and the index of its first phrase in subjectPhrases(). */
type SubjectTable = { phrases: Phrases; from: number };

const TABLES: SubjectTable[] = [];

function register(phrases: Phrases): SubjectTable {
  const table = { phrases, from: 0 };
  TABLES.push(table);
  return table;
}

/** All phrases of this file, so that rule-table.ts can index them together with the phrases of the rules. */
export function subjectPhrases(): readonly Phrase[] {
  const all: Phrase[] = [];
  for (const table of TABLES) table.from = all.push(...table.phrases.each) - table.phrases.each.length;
  return all;
}

/** Whether a phrase matches a part of a text. `marks` says which of subjectPhrases() may match the whole text. */
function anyMatches({ phrases, from }: SubjectTable, part: string, marks: Uint8Array): boolean {
  const { each } = phrases;
  for (let at = 0; at < each.length; at++) {
    if (marks[from + at] === 1 && each[at]!.expression.test(part)) return true;
  }
  return false;
}

/** Words for the sender and for the client, in the languages of servers. Normalised as in reply-text.ts. */
const CLIENT_NAMES: readonly (readonly [Subject, SubjectTable])[] = [
  [
    "sender",
    register(any`
      (?<!to |the |ask |tell |notify |inform |contact |by |to the )senders?\b(?! should| has been notified)
      (the |a |this |your |our )?(envelope )?(sender|mail ?from|return-?path|originator|reverse-path)s? (address|domain|mailbox|account|user|host)
      (unknown|invalid|bad|such) senders?\b
      mail ?from\b
      (author|writer)s?\b
      (that|who|which) (wrote|sent|writes|sends|asks?|asked)\b
      (written|sent) by\b
      cannot reply\b
      other side\b
      (sending|originating|envelope) domain\b
      you (send|write|mail|come)\w* (from|as)\b
      your (own |envelope |sending )?(e-?mail |mail )?(address(?! (range|block|space))|account|mailbox|domain|user|identity)\b
      (expediteur|emetteur|absender|remitente|mittente|remetente|nadawc|afzender|verzender|avsandare|odesilatel|felado|gonderen)
      votre (adresse|compte|domaine|boite)(?! ip)
      ihre? (adresse|konto|domain|postfach|mailadresse)\b
      (su|tu) (direccion|cuenta|dominio|buzon)\b(?! ip)
      (tuo|vostro|suo|tua|vostra|sua) (indirizzo|dominio|casella|conta|dominio)\b(?! ip)
      (seu|teu) (endereco|dominio)\b(?! ip)
      отправител
      ваш\S* (домен|адрес(?! ip)|ящик|почт)
      发件人
      发信人
      您的(域名|邮箱|地址)
      送信者
      발신자
    `),
  ],
  [
    "our_host",
    register(any`
      your (recipients|users?|customers?|clients?|company|colleagues?|organi[sz]ation|traffic|lists?|requests?|queries|probes?)\b
      your (\S+ )?(mail ?)?(server|servers|host|hostname|host name|mta|ips?|ip(-| )address(es)?|network|system|machine|client|ptr|helo|ehlo|reverse dns|rdns|dns|country|isp|provider|relay|computer|connection|site)\b
      (sending|connecting|client|originating|source|smtp client) (mail ?)?(server|host|ip|mta|address|system|client|network)\b
      remote (ip|address|client)\b
      host address\b
      hosts? (without|with|that|which)\b
      your (ip |address |network )+(range|block|space)\b
      @ip (is |was )?(unknown|not (known|found|registered))\b
      (client|peer)( host)? \S*@ip
      votre (serveur|ip|adresse ip|hote|machine|reseau|fournisseur)
      ihre? (mail-?)?(server|host|ip|ip-adresse|system|netz)
      (su|tu) (servidor|ip|direccion ip|host|red|proveedor)
      (tuo|vostro|suo) (server|ip|indirizzo ip|host|provider)
      (seu|teu) (servidor|ip|endereco ip|host|provedor)
      uw (mail)?(server|ip|host|adres|domein|netwerk)
      (twoj|wasz)\w* (serwer|host|adres ip|ip)
      (din|er) (server|ip|vard)
      (vas|tvuj) (server|ip)
      sunucunuz
      ваш\S* (сервер|хост|ip|узел|сет)
      您的(服务器|主机|ip|网络)
      你的(服务器|主机|ip)
      贵方
      あなたのサーバ
      貴社
      귀하의
    `),
  ],
];

/**
 * Other subjects of a rejection: a component of the receiving system, the session, a DNS record, the message, a count
 * or a condition. Named before a phrase or within it, they are its subject. After a preposition they are not: "not
 * found in the directory".
 */
const OTHER_NAMES: readonly (readonly [Subject, SubjectTable])[] = [
  [
    "their_system",
    register(any`
      (base de (donnees|datos|dados)|datenbank|banco de dados|verzeichnis(?! nicht)|richtlinie|regeln?|regles?|reglas?|politique|politica|konfiguration|configura(cion|cao|zione)|dienst|warteschlange)\b
      баз\S+ данн
      (сервер|политик|правил|конфигурац|очеред)
      (数据库|列表|目录|服务器|配置|策略|规则|队列|データベース|サーバ|설정|서버)
      {nopreposition}{component}\b
      {nopreposition}(policy|ldap|sql|imap|pop3?|storage|dns|proxy|authentication|login|verification|access) (servers?|services?|systems?)\b
      {nopreposition}(account|directory|user|lookup|mailbox) (servers?|services?|systems?)\b
      {nopreposition}(users?|recipients?|address|accounts?|mail ?box|customers?|subscribers?) (range|block|family|literal|space|pool|servers?|limits?|counts?|numbers?|ratio|rate|rights?|privileges?|permissions?|preferences?|base|list|lists)\b
      (reason|cause|origin|source|purpose|problem)s? (of \S+ |is |was |for this )*(not known|unknown|unclear)\b
      (?<!(im|in|der|dem|unserem|unserer|diesem|dieser|zum|zur) )(benutzer|nutzer|empf(a|ae)nger|adress|mail|konten|postfach)?-?(datenbank|liste|verzeichnis|tabelle|dienst)\b
      (liste|lista|base|table|tabla|tabela|annuaire|directorio|diretorio) (des|de|di|dos|degli|dei|del) 
      (баз|спис|таблиц|каталог)\S* (данн|пользоват|адрес|получат)
      (?<!(mail|delivery|deliver|deliveries|delivered|messages?|mail ?box|account|address|subscription|failures?|reception|service|error|rejected|sent|send|domain|name|access|route|forward\w*|found|no|not|known|exist|unknown|check domain fail|answer|e-?mail|permanently|reason|failed|entry|available|person|one|user|recipient|alias) )(to|for|of|behind|about|with|on) (this|the|that|our|your) {user}\b
      access to (this|the|that|our|your) {user}\b
      (ldap|sql|kerberos|nis|dns|radius) (says|said|reports?|answers?|answered|returned|errors?)\b
      {nopreposition}lists? of (\S+ )?{user}\b
    `),
  ],
  [
    "conversation",
    register(any`
      {nopreposition}{session}\b
      (login|log-?in|sign-?in) names?\b
      (maybe|perhaps|possibly|supposedly|either)\b
      another (invalid|unknown|wrong|bad|missing)\b
      (users|recipients|addresses|mailboxes|accounts|user ?names) (so far|were|have|did)\b
      (zertifikat|certifica(t|do|to)|sitzung|sesion|sessao|sessione|verbindung|connexion|conexion|conexao|connessione|befehl|commande|comando|passwort|mot de passe|contrasena|senha)\b
      (сертификат|соединени|сесси|сеанс|команд|парол)
      (会话|连接|证书|命令|密码|接続|証明書|세션|연결)
      (the|this|your|a|each|every|any) (connection|command|login|authentication)\b
      {nopreposition}{count}\b
      {nopreposition}(numbers?|count|counter|ratio|percentage)\b
      (plain ?text |remote |smtp )?(login|log-?in|authentication) (is |was |has been )*disabled\b
      command (is |was )*(unknown|not|unrecogni[sz]ed|invalid)\b
      (?<=[a-z]{2} )(?<!(error|rejected|failed|failure|refused) )(unknown|invalid|non-?exist\w+|bad|wrong|missing|disabled|suspended|expired|closed|inactive) (users|recipients|addresses|mailboxes|accounts|customers|members|user ?names)\b
      (of|your|many|most|some|half|all|these|those|other) (users|recipients|addresses|mailboxes|accounts|customers|members)\b
      you (keep|quer\w+|guess\w*|prob\w*|test\w*|ask\w*|have (?!entered|specified|mistyped|given|typed|provided|chosen|misspelled|reached|used|requested|addressed)|tried (?!to (reach|contact|send|write|e-?mail|mail|deliver)))
      (harvest\w*|(spam)?-?traps?|honey ?pots?)\b
      (too many|repeated(ly)?|multiple|several|dozens|hundreds|thousands|excessive|frequent|series of|rows? of|attempts?|tries|guess\w*|probes|probing) 
      (more|fewer|less|other) than (\d+|one|two|three|five|ten|a \S+|\S+ times)\b
      (\d+|two|three|four|five|ten|many) (times|replies|answers|errors|failures|bounces)\b
      (if|when|whenever|whether|unless|until|while|in case|as long as|as soon as|once|even though|in order)\b
    `),
  ],
  [
    "sender",
    register(any`
      {nopreposition}{record}\b
      mx (do not|does not|dont|doesnt) point
    `),
  ],
  [
    "content",
    register(any`
      {nopreposition}{content}\b
      e-?mails? (contains?|includes?|carries|with|without)\b
      (your|this|the|all|such|these) e-?mails? (was |were |is |are |has |have |been |being |will |be |automatically )*(deleted|removed|purged|erased|quarantined|blocked|stopped|held|on hold|archived|discarded|dropped)\b
      (anhang|anlage|pieces? jointes?|adjunto|anexo|allegato|betreff|sujet|asunto|assunto|oggetto|nachricht|inhalt)\b(?! (an|fur|fuer))
      (вложени|заголов|тем[аы] письма)
      (附件|主题|内容|签名|添付|件名)
    `),
  ],
];

/**
 * The message as the subject, directly before a phrase: "your message is unknown", but not "your message was refused:
 * user unknown".
 */
const MESSAGE_AS_SUBJECT = register(
  any`(your|the|this) (message|letter|mailing)( (?!because|could|cannot|can|was|is|has|will|to|for)\S+){0,2} $`,
);

/** Words after a phrase that make the client its subject: "no such user in your network". */
const CLIENT_ENDINGS = register(any`
  (?<!(check|correct|verify|update|fix|contact|ask|review|clean|search|see|consult|from|in) )your (own |mail |e-?mail |sending |local )*(servers?|hosts?|ips?|networks?|systems?|side|end|sites?|domains?|clients?|provider|isp|country|region|mailer|mta|organi[sz]ation|company|range|subnet|location|relay|dns|ptr|certificate|software|customers|users|machine|gateway|reputation|policy|envelope|header|session|connection|account|mailbox)\b
  (?<!for )your (e-?mails?|mails?|messages?|letters?|mailings?|newsletters?)\b(?! address)
  (from|in|on|at|behind|within|inside) your\b(?! (address ?book|contacts?|list))
  you (sent|send|gave|are (sending|using|listed|blocked|not|on)|connect\w*|come|hit|reached|exceeded|claim\w*|offered|present\w*)\b
  (from|for|by|to|of|at|behind) @ip
  according to (you|your|the sender)
  (to|for|by|with) you\b(?! (want|tried|entered|are|wish))
  your (recipients|traffic|lists?|requests?|quer(y|ies)|probes?)\b
  (e-?mails?|mails?|messages?|newsletters?|letters?|anything|traffic) from\b
`);

/** Words after a phrase that give it another subject: "no such user may send", "unknown user in this session". */
const OTHER_ENDINGS = register(any`
  (to|for|by|from) (bulk|external|outside|foreign|unknown|anonymous|unauthenticated|untrusted|such|these|those|certain|some|mass|automated|automatic|new) (\S+ )?(e-?mails?|mails?|messages?|senders?|hosts?|servers?|networks?|clients?|traffic|probes?|systems?|countries|providers?)\b
  (blocked|blocks|disabled|stopped|closed|suspended|barred) (you|all|any|e-?mails?|mails?|messages?|senders?|external|incoming)\b(?! (for|to|on|at))
  (as|in|of|by|with|for|inside|within) (the |an? |this |that |your |its |their |our |any |each |every )*(envelope |message |mail |smtp |tls )*(senders?|from|mail ?from|return-?path|reverse-?path|originator|headers?|subject|body|attachments?|session|connection|transaction|handshake|helo|ehlo|signature|message(?! (store|database))|campaign|newsletter|links?|dkim|spf|certificate|blacklist|block ?list)\b
  per (hour|minute|day|session|connection)\b
  (closed|left|ended) (this|the|our) (conversation|thread|ticket|discussion|chat|case)\b
  (blocked|suspended|disabled|expired|closed|locked|unknown|invalid) (providers?|networks?|servers?|senders?|countries|ports?|features?|clients?)\b
  (for|by|to) (advertis\w*|people|outsiders?|marketing|strangers|the (public|outside|internet)|machines|robots|programs|scripts)\b
  (mime|dkim|dmarc|spf|html|utf-?8|ascii|base64|unicode)\b(?! authentication)
  ^(unknown|invalid|non-?exist\w+|bad|wrong|missing|disabled|suspended|expired|closed|inactive) (users|recipients|addresses|mailboxes|accounts|customers|members|user ?names) (?!here)\S
  by (another|an?) (\S+ )?(session|process|client|program|task|job)\b
  (for|during) (an? |the |our |\d+ )?(backup|maintenance|update|upgrade|hours?|minutes|night|weekend|moment)\b
  (may|might|can|could|must|shall|should|is|are|was|were|be|being|been|has the right|have the right) (only |not |never |also |ever )*((allowed|permitted|authori[sz]ed|entitled|trusted|able|expected|required) to )?(send|write|post|log|login|connect|submit|sign|speak|transmit|authenticate)\b
  (allowed|permitted|authori[sz]ed|entitled|trusted|required) to (send|write|post|log|login|connect|submit|sign|use|transmit|authenticate)\b
  (is|are|was|were|be|been) (too (high|many|often|large|frequent|fast)|limited|counted|logged|recorded|throttled|slowed|tolerated|monitored|answered|reported)\b
  exceed
  (limit|threshold|maximum)\b
  (is|was|are|were) (only |just |not |what |the |an? |our |your )*(answers?|repl(y|ies)|responses?|result|example|what|how|reported|told|said)\b
  {nopreposition}{component} (is|are|was|were|has|have|had|cannot|cant|could|does|do|did|not|failed|missing|unavailable|error|down|offline|locked|applies|apply|denies|forbids)\b
`);

/** The same, directly after the phrase: "unknown user attempts", "the user directory". */
const NEXT_WORDS = register(any`
  ^{lastword} (range|block|family|literal|space|pool|(home )?servers?|ratio|quota|budget|allowance|rights?|privileges?|permissions?|preferences?)\b
  ^{lastword} to (talk|speak|send|use|be|do|work|serve)\b
  ^{lastword} from (this|that|the|an?|any|outside|other|another|some|unknown|foreign|dynamic)\b
  ^{lastword} (repl(y|ies)|answers?|responses?|errors?|attempts?|tries|probes?|lookups?|requests?|quer(y|ies)|bounces|reports?|complaints?|counters?|counts?|rates?|ratio|limits?|thresholds?|statistics|polic(y|ies)|rules?|filters?|protection|detection|harvesting|attacks?|guessing|scans?|probing|handling|notices?|notifications?|warnings?|traffic|messages are)\b
`);

/** Words for the recipient, in the languages of servers. */
const RECIPIENT_NAMES = register(any`
  {user}\b
  {boxabroad}\b
  (name|student|employee|staff|lists?|group|forward\w*|object)\b
  (ящик|пользовател|адрес|получател|аккаунт|учетн)
  (用户|邮箱|收件|地址|账号|帐号|账户|帐户|使用者|ユーザ|メールボックス|アドレス|アカウント|宛先|사용자|계정|주소|수신|메일)
`);

/** Words that name no subject. */
const FILLERS = any`
  ^(sorry|error|errors?|failure|failed|fatal|permanent\w*|rejected|refused|denied|delivery|deliver|undeliverable|mail|message|to|for|the|this|that|it|is|was|has|been|does|do|we|i|im|but|there|requested|action|not|taken|aborted|no|status|said|says|because|here|smtp|unable|cannot|could|be|delivered|remote|host|server|returned|an?|@ip|[\d.#-]+|\S*\d\S*|\S+\.\S+)$
`;

/** Which part of the client, if any, these words name. */
export function clientSubject(words: string, marks: Uint8Array): Subject | undefined {
  return CLIENT_NAMES.find(([, names]) => anyMatches(names, words, marks))?.[0];
}

/** Which subject other than the recipient and the client, if any, these words name. */
export function otherSubject(words: string, marks: Uint8Array): Subject | undefined {
  return OTHER_NAMES.find(([, names]) => anyMatches(names, words, marks))?.[0];
}

/** The words of a sentence up to a position in it. */
export function sentenceUpTo(words: string, end: number): string {
  return words.slice(words.lastIndexOf(" . ", Math.max(0, end - 1)) + 1, end);
}

/** The position of a phrase in a text, with the marks of the text. */
type PhraseMatch = { text: string; start: number; end: number; marks: Uint8Array };

/** Whether the sentence names the recipient, or no subject at all: "ann does not exist", "sorry, not found". */
export function namesRecipientOrNoSubject({ text, start, end, marks }: PhraseMatch): boolean {
  const before = sentenceUpTo(text, start);
  if (anyMatches(RECIPIENT_NAMES, before + sentenceFrom(text, start, end), marks)) return true;
  const names = before.split(" ").filter((word) => word.length > 1 && !FILLERS.whole.test(word));
  return (
    names.length === 0 ||
    (names.length === 1 && !/\b(?:the|this) $/.test(before.slice(0, before.indexOf(names[0]!))))
  );
}

/** Whether a subject other than the recipient or its domain is named before the end of the phrase. */
export function namesOtherSubject({ text, start, end, marks }: PhraseMatch): boolean {
  if (otherSubject(sentenceUpTo(text, end), marks)) return true;
  return anyMatches(MESSAGE_AS_SUBJECT, sentenceUpTo(text, start), marks);
}

/** Whether the words after the phrase, or in a gap of it, give it another subject. */
export function isFollowedByOtherSubject(
  { text, start, end, marks }: PhraseMatch,
  clientMayFollow: boolean,
): boolean {
  const rest = sentenceFrom(text, start, end);
  if (anyMatches(OTHER_ENDINGS, rest, marks)) return true;
  if (!clientMayFollow && anyMatches(CLIENT_ENDINGS, rest, marks)) return true;
  return anyMatches(NEXT_WORDS, sentenceFrom(text, text.lastIndexOf(" ", end - 1) + 1, end), marks);
}

/** The text from a position to the end of the sentence in which the phrase ends. */
function sentenceFrom(text: string, start: number, end: number): string {
  const stop = text.indexOf(" . ", end - 1);
  return text.slice(start, stop === -1 ? undefined : stop);
}
