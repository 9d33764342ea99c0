/**
 * A phrase counts against a mailbox only if the recipient is its subject: properties over the phrases of the rules.
 */
import { expect, test } from "vitest";
import { DOMAIN_RULES, NO_MAIL_RULES, RELAY_RULES } from "../src/smtp/meaning/rules/domain-rejected.ts";
import { AMBIGUOUS_RULES, DISABLED_RULES } from "../src/smtp/meaning/rules/mailbox-full-or-disabled.ts";
import {
  NOT_FOUND_RULES,
  PLAIN_RULES,
  SINGLE_WORD_RULES,
} from "../src/smtp/meaning/rules/mailbox-not-found.ts";
import {
  FOREIGN_DISABLED_RULES,
  FOREIGN_NOT_FOUND_RULES,
} from "../src/smtp/meaning/rules/other-languages.ts";
import { replay } from "./replay/replay.ts";

const RULES = [
  ...PLAIN_RULES,
  ...AMBIGUOUS_RULES,
  ...DISABLED_RULES,
  ...FOREIGN_DISABLED_RULES,
  ...NOT_FOUND_RULES,
  ...FOREIGN_NOT_FOUND_RULES,
  ...SINGLE_WORD_RULES,
  ...NO_MAIL_RULES,
  ...RELAY_RULES,
  ...DOMAIN_RULES,
];

/** Beginnings of sentences about other subjects. */
const OTHERS = [
  "Your server",
  "Your mail server",
  "Your IP address",
  "Your IP 192.0.2.25",
  "Your host name",
  "Your domain",
  "Your email address",
  "Sending host",
  "Sender",
  "Sender address",
  "The envelope sender domain",
  "Unknown sender",
  "MAIL FROM address",
  "We do not accept residential traffic",
  "MX do not point to us",
  "Votre serveur",
  "Votre adresse IP",
  "Expéditeur",
  "Ihr Server",
  "Ihre IP-Adresse",
  "Absenderadresse",
  "Su servidor",
  "Su dirección IP",
  "Remitente",
  "Il tuo server",
  "Mittente",
  "Seu servidor",
  "Remetente",
  "Uw server",
  "Twój serwer",
  "Nadawca",
  "Ваш сервер",
  "Отправитель",
  "您的服务器",
  "发件人",
  "送信者",
];

/** Texts that an expression matches: its first alternatives, its second ones, and so on, without optional parts. */
function samplesOf(source: string, count: number): string[] {
  return Array.from({ length: count }, (_, turn) => sampleOf(source, turn).replace(/\s+/g, " ").trim());
}

function sampleOf(source: string, turn: number): string {
  let at = 0;
  return alternatives();

  function alternatives(): string {
    const found = [sequence()];
    while (source[at] === "|") {
      at++;
      found.push(sequence());
    }
    return found[turn % found.length] ?? "";
  }

  function sequence(): string {
    let text = "";
    while (at < source.length && source[at] !== "|" && source[at] !== ")") text += repeated(atom());
    return text;
  }

  function atom(): string {
    const rest = source.slice(at);
    const look = /^\(\?(?:!|=|<!|<=)/.exec(rest);
    if (look || rest.startsWith("(")) {
      at += look?.[0].length ?? /^\((?:\?:)?/.exec(rest)![0].length;
      const text = alternatives();
      at++; // the closing bracket
      return look ? "" : text;
    }
    const set = /^\[(\^?)(.)[^\]]*\]/.exec(rest);
    const escaped = /^\\(.)/.exec(rest);
    at += set?.[0].length ?? escaped?.[0].length ?? 1;
    if (set) return set[1] === "^" ? "x" : set[2]!;
    if (escaped) return { b: "", d: "5", w: "a", S: "x", s: " " }[escaped[1]!] ?? escaped[1]!;
    return rest[0] === "^" || rest[0] === "$" ? "" : rest[0] === "." ? "x" : rest[0]!;
  }

  function repeated(text: string): string {
    const quantifier = /^(?:[?*]|\{0,\d+\})\??/.exec(source.slice(at));
    if (quantifier) at += quantifier[0].length;
    else if (source[at] === "+") at++;
    return quantifier ? "" : text;
  }
}

/** Phrases that count against a mailbox when said of a recipient alone. */
const PHRASES = [
  ...new Set(
    RULES.flatMap(({ words }) => words?.each ?? []).flatMap(({ expression }) =>
      samplesOf(expression.source, 4),
    ),
  ),
]
  .filter((phrase) => !phrase.startsWith("resolver.")) // Exchange's token, which decides in any context
  .filter((phrase) => replay({ reply: `550 ${phrase}` }).status === "invalid");

test("the rules have many phrases that count against a mailbox", () => {
  expect(PHRASES.length).toBeGreaterThan(350);
});

test.for(OTHERS)(
  "said of another subject, no phrase counts against the mailbox: %s …",
  { timeout: 120_000 },
  (subject) => {
    const held = PHRASES.filter(
      (phrase) => replay({ reply: `550 ${subject} ${phrase}` }).status === "invalid",
    );
    expect(held).toEqual([]);
  },
);

test("a subject in the sentence before does not replace the recipient", () => {
  for (const reply of [
    "550 5.1.1 Your message was not delivered. User unknown",
    "550 Your mail server sent mail to a mailbox here. The mailbox does not exist.",
    "550 5.1.1 Please tell the sender that there is no such user here",
    "550 5.1.1 <ann@replay.example>: Recipient address rejected: User unknown in virtual mailbox table",
  ]) {
    expect(replay({ reply }), reply).toMatchObject({ status: "invalid", subStatus: "mailbox_not_found" });
  }
});
