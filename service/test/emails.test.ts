/** Every email as a mail server receives it: plain text and HTML with the same content, headers, links, escaping. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMailer, type Mailer } from "../src/mail/mailer.ts";
import { EMAIL_EXAMPLES, EXAMPLE_URL } from "./email-examples.ts";
import { openMailServer } from "./mail-server.ts";

const HOSTILE = `<img src=x onerror=alert(1)>&amp;"'\r\nBcc: all@example.com\n\nhttps://evil.example/`;
const ESCAPED =
  "&#60;img src=x onerror=alert(1)&#62;&#38;amp;&#34;&#39; Bcc: all@example.com https://evil.example/";

let server: Awaited<ReturnType<typeof openMailServer>>;
let mailer: Mailer;
beforeAll(async () => {
  server = await openMailServer();
  mailer = createMailer(server.mail, () => {});
});
afterAll(async () => {
  mailer.close();
  await server[Symbol.asyncDispose]();
});

/** Headers, and the parts of a multipart message by content type. */
function read(content: string) {
  const boundary = /boundary="([^"]+)"/.exec(content)?.[1];
  if (!boundary) throw new Error(`not multipart: ${content}`);
  const [head = "", ...parts] = content.split(`--${boundary}`);
  const bodyOf = (type: string) => {
    const part = parts.find((one) => one.includes(`Content-Type: ${type}; charset=utf-8`));
    return part
      ?.slice(part.indexOf("\r\n\r\n") + 4)
      .replaceAll("\r\n", "\n")
      .trimEnd();
  };
  return { head, text: bodyOf("text/plain") ?? "", html: bodyOf("text/html") ?? "" };
}

const visibleText = (html: string) =>
  html
    .slice(html.indexOf("<h1"))
    .replace(/<[^>]+>/g, " ")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, " ");

test.each(Object.entries(EMAIL_EXAMPLES))("%s arrives as plain text and HTML", async (_name, example) => {
  const email = example(HOSTILE);
  const before = server.mails.length;
  await mailer.send(email);
  const mail = await server.received(before + 1);
  const { head, text, html } = read(mail.content);

  expect(mail.to).toEqual([email.to]);
  expect(head).toMatch(/^Content-Type: multipart\/alternative/m);
  expect(head).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(head).toMatch(/^Message-ID: <[^@\s]+@example\.net>\r$/m);
  expect(head).toMatch(/^Date: /m);
  expect(head).not.toMatch(/^Bcc:/im);
  expect(text).toBe(email.text.trimEnd());
  expect(text).not.toMatch(/<(?!img src=x)/);

  const links = [...html.matchAll(/\bhref="([^"]*)"/g)].map(([, url = ""]) => url.replaceAll("&#38;", "&"));
  expect(links.filter((url) => !url.startsWith(`${EXAMPLE_URL}/`))).toEqual([]);
  for (const url of links) {
    expect(text).toContain(url);
    expect(visibleText(html)).toContain(url);
  }
  expect(html).not.toMatch(/<(?:img|script|link|iframe|svg)\b|\bsrc="|url\(|@import/i);
  expect(html.match(/\bon\w+=(?!alert\(1\)&#62;)/g)).toBeNull();
  // Both say the same.
  for (const line of text.split("\n").filter((one) => one !== "" && !/^[^:]+:(?: [\d,]+)?$/.test(one)))
    expect(visibleText(html)).toContain(line.replace(/:$/, "").replace(/\s+/g, " "));
});

test("a text that a user chose is one escaped line, and never a link", () => {
  const shown = Object.entries(EMAIL_EXAMPLES).flatMap(([name, example]) =>
    example(HOSTILE).html?.includes(ESCAPED) ? [name] : [],
  );
  expect(shown).toEqual([
    "accountSuspended",
    "passkeyAdded",
    "passkeyRemoved",
    "jobCompleted",
    "jobFailed",
    "listChanged",
    "listNotValidated",
    "jobNeedsCredits",
    "egressRefused",
  ]);
  for (const example of Object.values(EMAIL_EXAMPLES)) {
    const { subject, text, html = "" } = example(HOSTILE);
    expect(`${subject}${text}${html}`).not.toContain("\r");
    expect(html).not.toContain('href="https://evil');
    expect(html).not.toContain("<img");
  }
});

test("an email of an earlier release is sent as plain text", async () => {
  const before = server.mails.length;
  await mailer.send({ to: "ann@shop.example", subject: "Old", text: "A line\n" });
  const { content } = await server.received(before + 1);
  expect(content).toContain("Content-Type: text/plain");
  expect(content).not.toContain("multipart");
});
