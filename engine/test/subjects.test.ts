/** A phrase counts against a mailbox only where the recipient is its subject: properties over the phrases of the rules. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DOMAIN_RULES, NO_MAIL_RULES, RELAY_RULES } from "../src/smtp/meaning/domain-rejected.ts";
import { DISABLED_RULES, EITHER_OR_RULES } from "../src/smtp/meaning/mailbox-full-or-disabled.ts";
import { NOT_FOUND_RULES, PLAIN_RULES, STEM_RULES } from "../src/smtp/meaning/mailbox-not-found.ts";
import { FOREIGN_DISABLED_RULES, FOREIGN_NOT_FOUND_RULES } from "../src/smtp/meaning/other-languages.ts";
import { replay } from "./replay/replay.ts";

const RULES = [
  ...PLAIN_RULES,
  ...EITHER_OR_RULES,
  ...DISABLED_RULES,
  ...FOREIGN_DISABLED_RULES,
  ...NOT_FOUND_RULES,
  ...FOREIGN_NOT_FOUND_RULES,
  ...STEM_RULES,
  ...NO_MAIL_RULES,
  ...RELAY_RULES,
  ...DOMAIN_RULES,
];

/** The beginnings of sentences that are about somebody else. */
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

/** Texts that an expression fits: its first alternatives, its second ones, and so on, without what is optional. */
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

/** Phrases that count against a mailbox when a server says them, and nothing else, of a recipient. */
const PHRASES = [
  ...new Set(
    RULES.flatMap(({ words }) => words?.each ?? []).flatMap(({ expression }) =>
      samplesOf(expression.source, 4),
    ),
  ),
]
  .filter((phrase) => !phrase.startsWith("resolver.")) // Exchange's token, which decides whatever stands around it
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

/** Replies that are about something else than the recipient, whatever stands at {}. */
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
  // What follows the phrase makes it another subject's.
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

/** Replies that add nothing to what stands at {}. */
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

/** A relay that is refused "from your network" is a domain that is not served, so these may name us after the phrase. */
const RELAY_PHRASES = new Set(
  RELAY_RULES.flatMap(({ words }) => words?.each ?? []).flatMap(({ expression }) =>
    samplesOf(expression.source, 4),
  ),
);
const isRelayForUs = (template: string, phrase: string) =>
  template.startsWith("{}") && template.includes("your") && RELAY_PHRASES.has(phrase);

test.for(MISLEADING)(
  "embedded in a sentence about something else, no phrase counts against the mailbox: %s",
  { timeout: 120_000 },
  (template) => {
    const held = PHRASES.filter(
      (phrase) =>
        !isRelayForUs(template, phrase) && replay({ reply: embed(template, phrase) }).status === "invalid",
    );
    expect(held).toEqual([]);
  },
);

test("of two sentences about something else, neither counts, in any order and under any code", () => {
  const sentence = fc
    .tuple(fc.constantFrom(...MISLEADING), fc.constantFrom(...PHRASES))
    .filter(([template, phrase]) => !isRelayForUs(template, phrase))
    .map(([template, phrase]) => template.replace("{}", phrase));
  const code = fc.constantFrom("550", "553 5.3.0", "554", "554 5.7.1", "550 5.5.0");
  fc.assert(
    fc.property(code, sentence, sentence, (code, one, other) => {
      expect(replay({ reply: `${code} ${one}. ${other}.` }).status).not.toBe("invalid");
    }),
    { numRuns: 2_000 },
  );
});

/** Phrases that name the recipient, and are whole sentences. */
const OF_A_RECIPIENT = PHRASES.filter((phrase) =>
  /\b(?:user|mailbox|recipient|account|addressee|mailaddress)\b/.test(phrase),
);

test.for(NEUTRAL)(
  "words that name nothing else leave a phrase its meaning: %s",
  { timeout: 120_000 },
  (template) => {
    expect(OF_A_RECIPIENT.length).toBeGreaterThan(150);
    const lost = OF_A_RECIPIENT.filter(
      (phrase) => replay({ reply: embed(template, phrase) }).status !== "invalid",
    );
    expect(lost).toEqual([]);
  },
);

test("a subject in the sentence before does not take the recipient's place", () => {
  for (const reply of [
    "550 5.1.1 Your message was not delivered. User unknown",
    "550 Your mail server sent mail to a mailbox here. The mailbox does not exist.",
    "550 5.1.1 Please tell the sender that there is no such user here",
    "550 5.1.1 <ann@replay.example>: Recipient address rejected: User unknown in virtual mailbox table",
  ]) {
    expect(replay({ reply }), reply).toMatchObject({ status: "invalid", subStatus: "mailbox_not_found" });
  }
});
