import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../test/any-character.ts";
import { CORPUS } from "../../test/corpus/corpus.ts";
import { growth, LINEAR_AT_FOURFOLD } from "../../test/growth.ts";
import { REPLY_CATEGORIES, REPLY_STAGES, type ReplyStage, readReply } from "./meaning.ts";
import { parseReply } from "./reply.ts";

const read = (reply: string, stage: ReplyStage = "rcpt", more: { mx?: string; recipient?: string } = {}) =>
  readReply({ stage, reply: parseReply(reply), ...more });

test("every reply of the corpus has the meaning of its label", () => {
  const misread = CORPUS.flatMap(({ stage, reply, mx, meaning, mailbox, email }) => {
    const got = readReply({ stage, reply: parseReply(reply), mx, recipient: email });
    return got.category === meaning && got.mailbox === mailbox
      ? []
      : [{ stage, reply, meaning, mailbox, got }];
  });

  expect(misread).toEqual([]);
});

test("the spelling of the recipient makes no difference", () => {
  const spelled = (reply: string, email: string, local: string) => {
    const recipient = `${local}${email.slice(email.indexOf("@"))}`;
    return read(reply.replaceAll(email, recipient), "rcpt", { recipient }).category;
  };
  const misread = CORPUS.flatMap(({ reply }) => {
    const email = /\bann@[a-z.-]*[a-z]/.exec(reply)?.[0];
    if (email === undefined) return [];
    const [lower, upper] = [spelled(reply, email, "ann.baker"), spelled(reply, email, "Ann.Baker")];
    return lower === upper ? [] : [`${reply}: ${lower}, in capitals ${upper}`];
  });

  expect(misread).toEqual([]);
});

test("the corpus covers every category and every stage", () => {
  expect(new Set(CORPUS.map(({ meaning }) => meaning))).toEqual(new Set(REPLY_CATEGORIES));
  expect(new Set(CORPUS.map(({ stage }) => stage))).toEqual(new Set(REPLY_STAGES));
});

test("before RCPT no reply of the corpus disproves a mailbox, except a host that accepts no mail", () => {
  for (const { reply } of CORPUS) {
    for (const stage of ["banner", "ehlo", "mail"] as const) {
      const { category, mailbox } = read(reply, stage);
      expect(category, reply).not.toMatch(/^mailbox_/);
      expect(mailbox, reply).not.toMatch(/^exists/);
      if (mailbox === "does_not_exist") expect(category, reply).toBe("domain_not_accepted");
    }
  }
});

test("a temporary reply never disproves a mailbox", () => {
  for (const { reply } of CORPUS.filter((line) => line.reply.startsWith("5"))) {
    const later = reply.replaceAll(/^5(\d\d)/gm, "4$1");
    expect(read(later).mailbox, later).not.toBe("does_not_exist");
  }
});

test.each([
  ["550 5.1.1 <quota@example.com>: Recipient address rejected: User unknown", "mailbox_not_found"],
  ["550 5.1.1 <blocked@example.com>... User unknown", "mailbox_not_found"],
  ["550 User full unknown", "mailbox_not_found", "full@example.com"],
  ["550 Unknown user: spam@example.com", "mailbox_not_found"],
  ["550 <552@example.com> no such user here", "mailbox_not_found"],
  ["550 5.1.1 blacklisted@example.com: no mailbox here by that name", "mailbox_not_found"],
  ["552 5.2.2 <unknown@example.com>: mailbox is full", "mailbox_full"],
  ["452 4.2.2 <full@example.com>: mailbox full", "mailbox_full", "full@example.com"],
  ["250 2.1.5 <nosuchuser@example.com> OK", "accepted"],
] as const)("the echo of a name is not a reason: %s", (reply, category, recipient?: string) => {
  expect(read(reply, "rcpt", recipient ? { recipient } : {}).category).toBe(category);
});

test("a callout quotes our own server, so the quote is not about the recipient", () => {
  const reply =
    "550-Verification failed for <bob@example.org>\n550-Response: 550 User unknown\n550 Sender verify failed";

  expect(read(reply)).toMatchObject({ category: "sender_rejected", mailbox: "unknown" });
});

test("two alternative reasons prove neither", () => {
  for (const reply of ["550 User unknown or mailbox full", "550 Mailbox unavailable or access denied"]) {
    expect(read(reply).mailbox, reply).toBe("unknown");
  }
});

test("text in another character set is understood when it arrives as Latin-1", () => {
  const words = "550 Benutzer unbekannt / \xd3\xc3\xbb\xa7\xb2\xbb\xb4\xe6\xd4\xda".replace(
    /Benutzer unbekannt \/ /,
    "",
  );

  expect(read(words).category).toBe("mailbox_not_found"); // GBK for "user does not exist"
  expect(read("552 La boÃ®te du destinataire est pleine").category).toBe("mailbox_full");
});

test("the delay that a server names is parsed", () => {
  expect(read("450 4.2.0 Greylisted for 5 minutes").retryAfterSeconds).toBe(300);
  expect(read("451 4.7.1 Please wait 00:04:59 before retrying").retryAfterSeconds).toBe(299);
  expect(read("421 Too many connections, retry in 60s").retryAfterSeconds).toBe(60);
  expect(read("550 5.1.1 User unknown since 300 seconds").retryAfterSeconds).toBeUndefined();
});

test("a text without a code still has its enhanced code and its words", () => {
  expect(read("5.2.2 <ann@example.com>: user is over quota").category).toBe("mailbox_full");
  expect(read("5.1.1 User unknown").mailbox).toBe("does_not_exist");
  expect(read("User unknown").mailbox).toBe("unknown");
});

test("any text at any stage has a meaning with a reason", () => {
  const codes = fc.constantFrom(
    "",
    "220",
    "250",
    "421",
    "450",
    "451",
    "452",
    "501",
    "521",
    "550",
    "552",
    "554",
    "999",
  );
  const pieces = fc.constantFrom(
    "user",
    "unknown",
    "full",
    "<a@b.example>",
    "192.0.2.1",
    "…",
    "(",
    "\\",
    "5.1.1",
    "or",
    "[ip]",
  );
  const words = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.array(pieces).map((list) => list.join(" ")),
  );
  fc.assert(
    fc.property(
      codes,
      words,
      fc.constantFrom(...REPLY_STAGES),
      fc.string(),
      (code, text, stage, recipient) => {
        const meaning = read(`${code} ${text}`, stage, { recipient });
        expect(REPLY_CATEGORIES).toContain(meaning.category);
        expect(meaning.why).not.toBe("");
        expect(meaning.rule).not.toBe("");
      },
    ),
  );
});

test.each([
  ["one long word", (n: number) => "a".repeat(n)],
  ["addresses", (n: number) => "<a@b.example> ".repeat(n / 14)],
  ["nearly addresses", (n: number) => "a@".repeat(n / 2)],
  ["many spaces", (n: number) => " ".repeat(n)],
  ["words of the rules", (n: number) => "user mailbox your sender is not ".repeat(n / 32)],
  ["one long sentence without spaces", (n: number) => "不存".repeat(n / 2)],
  ["colons and dots", (n: number) => "1:2.3".repeat(n / 5)],
])("a hostile reply is interpreted in linear time: %s", async (_name, filler) => {
  const sizes = { from: `550 ${filler(25_000)} x`, to: `550 ${filler(100_000)} x` };
  const cost = await growth((reply) => read(reply, "rcpt", { recipient: "a@b.example" }), sizes);
  expect(cost).toBeLessThan(LINEAR_AT_FOURFOLD);
});

test("a meaning that a link decides is not used for the same sentence with another link", () => {
  const missing = "550 5.7.1 Message rejected, see https://mail.i.ua/err/2/";
  const blocked = "550 5.7.1 Message rejected, see https://mail.i.ua/err/9/";
  const neither = "550 5.7.1 Message rejected, see https://mail.example/help";
  for (let n = 0; n < 3; n++) expect(read(missing).category).toBe("mailbox_not_found");
  for (let n = 0; n < 3; n++) expect(read(blocked).category).toBe("ip_blocked");
  for (let n = 0; n < 3; n++) expect(read(neither).mailbox).not.toBe("does_not_exist");
});

test("a meaning that the server's own words decide is not used for the same words with another recipient's name", () => {
  const of = (recipient: string, text: string) =>
    readReply({ stage: "rcpt", reply: parseReply(text), recipient });
  for (let n = 0; n < 2; n++) {
    expect(of("quota@firm.example", "550 5.1.1 user quota unknown").category).toBe("mailbox_not_found");
    expect(of("ann@firm.example", "550 user quota unknown").mailbox).not.toBe("does_not_exist");
  }
});
