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

/** Which part of the client, if any, these words name. */
export function clientSubject(words: string, marks: Uint8Array): Subject | undefined {
  return CLIENT_NAMES.find(([, names]) => anyMatches(names, words, marks))?.[0];
}

/** The words of a sentence up to a position in it. */
export function sentenceUpTo(words: string, end: number): string {
  return words.slice(words.lastIndexOf(" . ", Math.max(0, end - 1)) + 1, end);
}
