/**
 * Replies about a mailbox in other languages than English: full, disabled, not found.
 *
 * Latin ones are matched by sets of stems (phrase-synonyms.ts), a noun and a state in either order, so that unseen sentences
 * are understood as well.
 */

import { any } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

/** Words that name the client, not the mailbox. */
const CLIENT = any`
  ip\b
  ip-
  @ip
  (liste|lista) (noire|negra|nera|grise|gris)
  (schwarz|black|sperr)\S* ?list
  \S*list[ae]
  (expediteur|emetteur|absender|remitente|mittente|remetente|nadawc|afzender|verzender|avsandare|odesilatel)
  (servidor|serveur|server|domain|domin|domen|domaine|device|system|disk)
`;

export const FOREIGN_FULL_RULES: readonly Rule[] = phrases("mailbox_full", [
  [
    "no-room-in-their-language",
    any`
      {boxabroad}\b … ?{fullabroad}
      (mailbox|inbox|account) … ?(voll\b|vol\b|uberf(u|ue)llt|pleine?\b|pien[ao]|llen[ao]|chei[ao]|peln[ay])
      (quota|cuota|cota|limite|limit\w*|espace|espacio|espaco|spazio|miejsca|speicher\w*|kapazit\w*|kvota|kvote|kota) … ?{fullabroad}
      {fullabroad} … ?(quota|cuota|cota|speicher\w*|kvota)
      zu ?viele (mails|nachrichten) (auf|in|im)
      (kein|nicht gen(u|ue)gend) (speicher|platz)
      (pas|plus) (assez )?(d )?(espace|de place)
      (sin|falta de) espacio
      brak miejsca
      переполнен
      ящик … (полон|заполнен|переполн)
      квот
      已满
      容量
      满了
      空间不足
      いっぱい
      용량
      가득
    `,
    "it says in its own language that the mailbox is full",
    { unless: CLIENT },
  ],
]);

export const FOREIGN_DISABLED_RULES: readonly Rule[] = phrases("mailbox_disabled", [
  [
    "shut-in-their-language",
    any`
      {boxabroad}\b … ?{shutabroad}
      (mailbox|account) … ?{shutabroad}
      {shutabroad}\b … ?{boxabroad}\b
      n est (plus|pas) (active|actif|valide|utilise)
      falta de (uso|pago|pagamento)
      (ha )?(expirad|caducad)
      inutilizz
      nicht (mehr )?(aktiv|erreichbar|g(u|ue)ltig|in betrieb)
      no (esta |se encuentra )?activ[oa]
      non (e |piu )*attiv[oa]
      nao (esta )?ativ[oa]
      nie jest aktywn
      (ящик|пользовател\S+|аккаунт|учетн\S+|адрес) … (заблокирован|отключен|неактив|удерж|приостанов|не активен|закрыт)
      禁用
      停用
      冻结
      锁定
      已关闭
      注销
      停止
      無効
      정지
      휴면
      해지
    `,
    "it says in its own language that the mailbox is shut",
    { unless: CLIENT },
  ],
]);

export const FOREIGN_NOT_FOUND_RULES: readonly Rule[] = phrases("mailbox_not_found", [
  [
    "no-such-mailbox-in-their-language",
    any`
      {boxabroad}\b … ?{absentabroad}
      {absentabroad} … ?{boxabroad}\b
      (inconnu|unbekannt|desconocid[oa]|sconosciut[oa]|desconhecid[oa]|nieznan[yae]|onbekend|okand|ukendt|ukjent|neznamy|ismeretlen|necunoscut)
      n ?existe (pas|plus)
      non (recense|repertorie|reconnu)
      niemand … bekannt
      (existiert|bestaat) (hier )?(nicht|niet)
      nicht (bekannt|gefunden|vorhanden)
      (no|nao) existe
      (non|nao|no) (esiste|existe)
      in(e|exi)sistente
      inexistente
      (kein|keine|keinen|nessun|nessuna|aucune?|ning(u|un)[nm]?[oa]?|ingen|geen|zadn[yae]|brak) (\S+ )?{boxabroad}
      nie (istnieje|ma takiego)
      (finns (inte|ej)|findes ikke|finnes ikke|eksisterer ikke|neexistuje|nem letezik|nu exista|bulunamadi|mevcut degil|khong ton tai|tidak (ada|ditemukan|dikenal|terdaftar))
      δεν υπαρχει
      не існує
      ящика нет
      не существует
      не наиден
      неизвест
      нет такого
      не существу
      отсутствует
      не зарегистрирован
      невернып
      недеиствител
      不存在
      未开通
      无此
      找不到
      无效
      查无
      存在しません
      存在しない
      見つかりません
      不明
      없는
      존재하지
      없습니다
    `,
    "it says so in its own language",
  ],
]);
