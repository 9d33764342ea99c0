/**
 * A phrase counts against a mailbox only if the recipient is its subject: properties over the phrases of the rules.
 */
import fc from "fast-check";
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
  return Array.from({ length: count }, (_, turn) =>
    sampleOf(source, turn).replace(/\s+/g, " ").replace(/ ?\.$/, "").trim(),
  );
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

test.for(OTHERS)("said of another subject, no phrase counts against the mailbox: %s …", (subject) => {
  const held = PHRASES.filter((phrase) => replay({ reply: `550 ${subject} ${phrase}` }).status === "invalid");
  expect(held).toEqual([]);
});

/** Replies about a subject other than the recipient, whatever replaces {}. */
const MISLEADING = [
  // Counts and limits.
  "Too many replies of {} in this session",
  "More than ten times {} since noon",
  "The number of {} is too high",
  "The rate of {} was exceeded",
  "Repeated {} attempts from 192.0.2.25",
  "Limit for {} errors reached",
  // Conditions.
  "We answer slowly if {}",
  "Mail waits in the queue when {}",
  "We cannot say whether {}",
  "Unless {} the mail is checked first",
  // Parts of the receiving system.
  "The database {}",
  "The user directory {}",
  "The list of users {}",
  "The lookup table {}",
  "The configuration {}",
  "The policy server {}",
  "The content filter {}",
  "The mail queue {}",
  "The license of the gateway {}",
  "The storage node {}",
  // The session.
  "The session {}",
  "The connection {}",
  "The command {}",
  "The password {}",
  "The TLS certificate {}",
  // Records and names of the sending side.
  "The PTR record {}",
  "The SPF record {}",
  "The DKIM key {}",
  "The DNS zone {}",
  "The HELO name {}",
  "The reply-to address {}",
  "The bounce address {}",
  "The From header {}",
  // The message.
  "The attachment {}",
  "The subject line {}",
  "The message header {}",
  "The link in the text {}",
  "The text of your message {}",
  // The words after the phrase give it another subject.
  "{} from your network",
  "{} in your network",
  "{} on your server",
  "{} in the message header",
  "{} in this session",
  "{} may send from here",
  "{} is allowed to send",
  "{} because the database is missing",
  "{} because the table cannot be opened",
  "{} replies from 192.0.2.25",
  "{} attempts exceed the limit",
  "{} was the answer of your server",
  "{} is what your host told us",
  "{} according to your mail server",
  "{} as envelope sender",
  "{} counter is too high",
  "{} policy applies to your IP",
  "{} lookups are limited",
  "{} in the From address",
  "{} can log in from your country",
];

/** Replies that do not change the meaning of what replaces {}. */
const NEUTRAL = [
  "{}",
  "{}.",
  "Sorry, {}",
  "Error: {}",
  "Rejected: {}",
  "Undeliverable: {}",
  "Permanent failure: {}",
  "Requested action not taken: {}",
  "We are sorry. {}",
  "<anna.lindqvist@replay.example>: {}",
  "<anna.lindqvist@replay.example>... {}",
  "<anna.lindqvist@replay.example> {}",
  "{} <anna.lindqvist@replay.example>",
  "{}: <anna.lindqvist@replay.example>",
  "RCPT TO:<anna.lindqvist@replay.example> failed: {}",
  "Delivery to <anna.lindqvist@replay.example> failed. {}",
  "Mail to <anna.lindqvist@replay.example> cannot be delivered. {}.",
  "{}. Please look at the address again.",
  "{}. See https://help.replay.example/1234",
  "{} [4711]",
  "{} - gsmtp",
  "{} (#5.1.1)",
  "{} q8si1234567wrt.12",
];

const embed = (template: string, phrase: string) => `550 ${template.replace("{}", phrase)}`;

/** Relaying denied "from your network" is a domain that is not served: these phrases may be followed by the client. */
const RELAY_PHRASES = new Set(
  RELAY_RULES.flatMap(({ words }) => words?.each ?? []).flatMap(({ expression }) =>
    samplesOf(expression.source, 4),
  ),
);
const isRelayForClient = (template: string, phrase: string) =>
  template.startsWith("{}") && template.includes("your") && RELAY_PHRASES.has(phrase);

test.for(MISLEADING)(
  "in a sentence about another subject, no phrase counts against the mailbox: %s",
  (template) => {
    const held = PHRASES.filter(
      (phrase) =>
        !isRelayForClient(template, phrase) &&
        replay({ reply: embed(template, phrase) }).status === "invalid",
    );
    expect(held).toEqual([]);
  },
);

test("two sentences about other subjects do not count against the mailbox, in any order and with any code", () => {
  const sentence = fc
    .tuple(fc.constantFrom(...MISLEADING), fc.constantFrom(...PHRASES))
    .filter(([template, phrase]) => !isRelayForClient(template, phrase))
    .map(([template, phrase]) => template.replace("{}", phrase));
  const code = fc.constantFrom("550", "553 5.3.0", "554", "554 5.7.1", "550 5.5.0");
  fc.assert(
    fc.property(code, sentence, sentence, (code, one, other) => {
      expect(replay({ reply: `${code} ${one}. ${other}.` }).status).not.toBe("invalid");
    }),
    { numRuns: 2_000 },
  );
});

/** Phrases that name the recipient and are complete sentences. */
const RECIPIENT_PHRASES = PHRASES.filter((phrase) =>
  /\b(?:user|mailbox|recipient|account|addressee|mailaddress)\b/.test(phrase),
);

test.for(NEUTRAL)(
  "words that name no other subject do not change the meaning of a phrase: %s",
  (template) => {
    expect(RECIPIENT_PHRASES.length).toBeGreaterThan(150);
    const lost = RECIPIENT_PHRASES.filter(
      (phrase) => replay({ reply: embed(template, phrase) }).status !== "invalid",
    );
    expect(lost).toEqual([]);
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
