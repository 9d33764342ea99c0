/** The head of a noun phrase decides what a phrase is said of: properties over word lists of many languages. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { wordKind } from "../src/smtp/meaning/clause-words.ts";
import { replay } from "./replay/replay.ts";

const CODES = ["550", "550 5.1.1", "553 5.3.0", "554 5.7.1", "550 5.2.1"];

/** The order of head and other noun in a language, and what is said of them. */
type Language = {
  recipients: readonly string[];
  /** Other nouns, none of which is in a list of the rules. */
  others: readonly string[];
  compounds: (recipient: string, other: string) => readonly string[];
  /** What may stand beside a word for the recipient without changing what is meant. */
  modified: (recipient: string) => readonly string[];
  says: readonly ((subject: string) => string)[];
};

const after =
  (...states: string[]) =>
  () =>
    states.map((state) => (subject: string) => `${subject} ${state}`);
const before = (...states: string[]) => states.map((state) => (subject: string) => `${state} ${subject}`);

const LANGUAGES: Record<string, Language> = {
  english: {
    recipients: [
      "user",
      "mailbox",
      "recipient",
      "account",
      "address",
      "customer",
      "email address",
      "user account",
    ],
    others: [
      "consent",
      "policy",
      "keyring",
      "quota rule",
      "transport",
      "token",
      "shard",
      "licence",
      "delegate",
      "callback",
      "agent",
      "plugin",
      "folder",
      "profile",
      "permit",
      "greeting",
      "photo",
      "cluster",
      "replica",
      "signature",
      "check",
      "log",
      "hold",
      "relay",
      "message",
      "list",
      "directory",
      "server",
      "lookup",
      "database",
    ],
    compounds: (recipient, other) => [
      `${recipient} ${other}`,
      `The ${recipient}'s ${other}`,
      `The ${other} of this ${recipient}`,
      `The ${other} for the ${recipient}`,
      `<anna.lindqvist@replay.example>: ${recipient} ${other}`,
      `The ${recipient} <anna.lindqvist@replay.example> ${other}`,
      `Local ${recipient} ${other}`,
    ],
    modified: (recipient) => [
      recipient,
      `Local ${recipient}`,
      `Virtual ${recipient}`,
      `The specified ${recipient}`,
      `The ${recipient} <anna.lindqvist@replay.example>`,
      `<anna.lindqvist@replay.example>: ${recipient}`,
      `The requested ${recipient} anna.lindqvist`,
      `That ${recipient}`,
      `This ${recipient} at this domain`,
    ],
    says: [
      ...after(
        "not found",
        "unknown",
        "does not exist",
        "is unknown",
        "was not found",
        "doesn't exist",
        "no longer exists",
        "could not be found",
        "has been disabled",
        "is inactive",
        "was deleted",
      )(),
    ],
  },
  "english, state first": {
    recipients: ["user", "mailbox", "recipient", "account", "address", "user account"],
    others: [
      "agent",
      "token",
      "policy",
      "delimiter",
      "cookie",
      "plan",
      "class",
      "type",
      "profile",
      "option",
      "filter",
    ],
    compounds: (recipient, other) => [`${recipient} ${other}`, `local ${recipient} ${other}`],
    modified: (recipient) => [
      recipient,
      `local ${recipient}`,
      `${recipient} <anna.lindqvist@replay.example>`,
    ],
    says: before("No such", "Unknown", "Invalid", "There is no such"),
  },
  german: {
    recipients: ["Benutzer", "Empfänger", "Postfach", "Konto"],
    others: [
      "richtlinie",
      "regel",
      "schlüssel",
      "gruppe",
      "verwaltung",
      "server",
      "dienst",
      "prüfung",
      "filter",
    ],
    compounds: (recipient, other) => {
      const alone = other[0]!.toUpperCase() + other.slice(1);
      return [
        `${recipient}${other}`,
        `${recipient}-${alone}`,
        `Die ${alone} für diesen ${recipient}`,
        `${alone} des ${recipient}s`,
      ];
    },
    modified: (recipient) => [recipient, `Der angegebene ${recipient}`, `${recipient} auf diesem Server`],
    says: after("existiert nicht", "unbekannt", "nicht gefunden", "ist unbekannt")(),
  },
  french: {
    recipients: ["utilisateur", "destinataire", "compte"],
    others: ["politique", "règle", "clé", "jeton", "certificat", "licence", "profil", "quota"],
    compounds: (recipient, other) => [
      `${other} du ${recipient}`,
      `${other} d'${recipient}`,
      `${other} ${recipient}`,
      `${recipient} ${other}`,
    ],
    modified: (recipient) => [recipient, `L'${recipient}`, `${recipient} local`, `Adresse du ${recipient}`],
    says: after("inconnu", "introuvable", "inexistant", "n'existe pas")(),
  },
  spanish: {
    recipients: ["usuario", "destinatario", "buzón", "cuenta"],
    others: ["política", "regla", "llave", "licencia", "perfil", "certificado", "grupo"],
    compounds: (recipient, other) => [
      `${other} del ${recipient}`,
      `La ${other} de ${recipient}`,
      `${other} ${recipient}`,
    ],
    modified: (recipient) => [
      recipient,
      `El ${recipient}`,
      `${recipient} local`,
      `La dirección del ${recipient}`,
    ],
    says: after("no existe", "desconocido", "inexistente")(),
  },
  italian: {
    recipients: ["utente", "destinatario", "casella"],
    others: ["regola", "chiave", "licenza", "profilo", "gruppo", "certificato"],
    compounds: (recipient, other) => [
      `${other} dell'${recipient}`,
      `${other} della ${recipient}`,
      `${other} ${recipient}`,
    ],
    modified: (recipient) => [recipient, `Indirizzo del ${recipient}`, `Questo ${recipient}`],
    says: after("inesistente", "non esiste", "sconosciuto", "non trovato")(),
  },
  portuguese: {
    recipients: ["usuário", "destinatário", "conta"],
    others: ["chave", "regra", "licença", "perfil", "grupo", "certificado"],
    compounds: (recipient, other) => [
      `${other} do ${recipient}`,
      `A ${other} da ${recipient}`,
      `${other} ${recipient}`,
    ],
    modified: (recipient) => [recipient, `Endereço do ${recipient}`, `Este ${recipient}`],
    says: after("não existe", "inexistente", "desconhecido", "não encontrado")(),
  },
  polish: {
    recipients: ["użytkownika", "odbiorcy", "skrzynki"],
    others: ["klucz", "reguła", "polityka", "licencja", "profil", "grupa"],
    compounds: (recipient, other) => [`${other} ${recipient}`, `${other} dla ${recipient}`],
    modified: (recipient) => [`Adres ${recipient}`, `Konto ${recipient}`],
    says: after("nie istnieje", "nieznany")(),
  },
  russian: {
    recipients: ["пользователя", "получателя", "ящика"],
    others: ["ключ", "правило", "политика", "лицензия", "профиль", "группа"],
    compounds: (recipient, other) => [`${other} ${recipient}`, `${other} для ${recipient}`],
    modified: (recipient) => [`Адрес ${recipient}`, `Аккаунт ${recipient}`],
    says: after("не найден", "не существует")(),
  },
  czech: {
    recipients: ["uživatele", "příjemce", "schránky"],
    others: ["klíč", "pravidlo", "zásada", "licence", "profil", "skupina"],
    compounds: (recipient, other) => [`${other} ${recipient}`, `${other} pro ${recipient}`],
    modified: (recipient) => [`Adresa ${recipient}`, `Účet ${recipient}`],
    says: after("neexistuje", "neznámý")(),
  },
  turkish: {
    recipients: ["Kullanıcı", "Alıcı"],
    others: ["anahtarı", "kuralı", "grubu", "profili", "lisansı"],
    compounds: (recipient, other) => [`${recipient} ${other}`],
    modified: (recipient) => [recipient, `${recipient} hesabı`, `${recipient} adresi`],
    says: after("bulunamadı", "mevcut değil")(),
  },
  dutch: {
    recipients: ["gebruiker", "ontvanger"],
    others: ["regel", "sleutel", "groep", "licentie", "profiel"],
    compounds: (recipient, other) => [`${recipient}s${other}`, `${other} van de ${recipient}`],
    modified: (recipient) => [recipient, `De ${recipient}`, `Account van de ${recipient}`],
    says: after("bestaat niet", "onbekend", "niet gevonden")(),
  },
  swedish: {
    recipients: ["användar", "mottagar"],
    others: ["regel", "nyckel", "grupp", "profil"],
    compounds: (recipient, other) => [`${recipient}${other}`, `${other} för ${recipient}en`],
    modified: (recipient) => [`${recipient}en`],
    says: after("finns inte")(),
  },
  chinese: {
    recipients: ["用户", "邮箱", "收件人", "账号"],
    others: ["密钥", "规则", "策略", "证书", "配置", "服务器", "组", "权限"],
    compounds: (recipient, other) => [
      `${recipient}${other}`,
      `${recipient}的${other}`,
      `该${recipient}${other}`,
    ],
    modified: (recipient) => [recipient, `该${recipient}`, `此${recipient}`],
    says: [(subject) => `${subject}不存在`, (subject) => `找不到${subject}`, (subject) => `无此${subject}`],
  },
  japanese: {
    recipients: ["ユーザー", "メールボックス", "アカウント", "アドレス"],
    others: ["鍵", "規則", "証明書", "設定", "権限"],
    compounds: (recipient, other) => [`${recipient}の${other}`, `${recipient}${other}`],
    modified: (recipient) => [recipient, `この${recipient}`, `指定された${recipient}`],
    says: [(subject) => `${subject}が存在しません`, (subject) => `${subject}が見つかりません`],
  },
  korean: {
    recipients: ["사용자", "계정", "수신자"],
    others: ["키", "규칙", "인증서", "설정", "권한"],
    compounds: (recipient, other) => [`${recipient} ${other}`, `${recipient}의 ${other}`],
    modified: (recipient) => [recipient, `해당 ${recipient}`],
    says: [(subject) => `${subject}가 존재하지 않습니다`],
  },
};

const all = Object.entries(LANGUAGES);

test.for(all)("another noun as the head is what a phrase is said of: %s", ([, language]) => {
  const held: string[] = [];
  let turn = 0;
  for (const recipient of language.recipients) {
    for (const other of language.others) {
      for (const subject of language.compounds(recipient, other)) {
        for (const say of language.says) {
          const reply = `${CODES[turn++ % CODES.length]} ${say(subject)}`;
          if (replay({ reply }).status === "invalid") held.push(reply);
        }
      }
    }
  }
  expect(held).toEqual([]);
});

test.for(all)("a modifier does not change what a phrase is said of: %s", ([, language]) => {
  const lost: string[] = [];
  for (const recipient of language.recipients) {
    for (const subject of language.modified(recipient)) {
      for (const say of language.says) {
        const reply = `550 ${say(subject)}`;
        if (replay({ reply }).status !== "invalid") lost.push(reply);
      }
    }
  }
  expect(lost).toEqual([]);
});

test("a word that no list has is never taken for the recipient", () => {
  const { recipients, compounds, says } = LANGUAGES.english!;
  const word = fc.stringMatching(/^[a-z]{4,12}$/).filter((text) => wordKind(text) === "other");
  const reply = fc
    .tuple(
      fc.constantFrom(...CODES),
      fc.constantFrom(...recipients),
      word,
      fc.constantFrom(...says),
      fc.nat({ max: 6 }),
    )
    .map(([code, recipient, other, say, at]) => `${code} ${say(compounds(recipient, other)[at]!)}`);
  fc.assert(
    fc.property(reply, (text) => {
      expect(replay({ reply: text }).status).not.toBe("invalid");
    }),
    { numRuns: 2_000 },
  );
});
