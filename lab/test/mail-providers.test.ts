/** The imitations of providers: each speaks with its own voice, and composes like any temperament. */
import { expect, test } from "vitest";
import {
  blocksUs,
  disabled,
  exchange,
  exim,
  gmx,
  google,
  greylists,
  icloud,
  mailRu,
  microsoft365,
  mimecast,
  orange,
  outlookCom,
  overQuota,
  proofpoint,
  qmail,
  qq,
  type Temper,
  yahoo,
  yandex,
} from "../src/mail/index.ts";
import { meet } from "./mail-meeting.ts";

const NOT_FOUND: [name: string, Temper, banner: RegExp, reply: RegExp][] = [
  ["google", google, /gsmtp$/, /^550-5\.1\.1 The email account[\s\S]*p=NoSuchUser \w+ - gsmtp$/],
  [
    "microsoft365",
    microsoft365,
    /protection\.outlook\.com/,
    /^550 5\.4\.1 .*Access denied\..*\[\w+\.eurprd04/,
  ],
  ["outlookCom", outlookCom, /protection\.outlook\.com/, /^550 5\.5\.0 .*mailbox unavailable \(S2017/],
  ["yahoo", yahoo, /yahoo\.com ESMTP ready$/, /^250 recipient <eve@lab\.example> ok$/],
  ["icloud", icloud, /icloud/, /^550 5\.1\.1 <eve@lab\.example>: user does not exist$/],
  ["gmx", gmx, /Nemesis ESMTP/, /^550-Requested action not taken: mailbox unavailable\n550 .*c=r0103/],
  ["mimecast", mimecast, /mimecast/, /^550 Invalid Recipient - /],
  ["proofpoint", proofpoint, /pphosted/, /^550 5\.1\.1 User Unknown$/],
  ["mailRu", mailRu, /mail\.ru/, /is unavailable: user not found$/],
  ["yandex", yandex, /yandex/, /^550 5\.7\.1 No such user!$/],
  ["qq", qq, /qq\.com/, /^550 Mailbox not found\./],
  ["orange", orange, /ME ESMTP/, /OFR204_416/],
  ["exim", exim, /Exim/, /^550 Unrouteable address$/],
  ["exchange", exchange, /Microsoft ESMTP/, /^550 5\.1\.10 RESOLVER\.ADR\.RecipientNotFound/],
  ["qmail", qmail, /^220 mx\.lab\.example ESMTP$/, /^550 sorry, no mailbox here by that name/],
];

test.each(NOT_FOUND)(
  "%s greets and answers for a missing mailbox in its own words",
  async (_, temper, banner, reply) => {
    const [client] = await meet(temper);
    expect(await client.reply()).toMatch(banner);
    await client.ask("EHLO p.example");
    await client.ask("MAIL FROM:<probe@prober.example>");
    expect(await client.ask("RCPT TO:<ann@lab.example>")).toMatch(/^250 /);
    await client.ask("RSET");
    await client.ask("MAIL FROM:<probe@prober.example>");
    const answer = await client.ask("RCPT TO:<eve@lab.example>");
    expect(answer).toMatch(reply);
    expect(answer).not.toMatch(/\{\w+\}/);
    expect(await client.ask("QUIT")).toMatch(/^221 /);
  },
);

test("a full or closed mailbox, a block and greylisting take the provider's words as well", async () => {
  const [gmail] = await meet([overQuota(["ann"]), disabled(["old"]), google]);
  await gmail.enter();
  expect(await gmail.ask("RCPT TO:<ann@lab.example>")).toMatch(/^452-4\.2\.2 [\s\S]*p=OverQuotaTemp/);
  expect(await gmail.ask("RCPT TO:<old@lab.example>")).toMatch(/^550-5\.2\.1 [\s\S]*p=DisabledUser/);

  const [blockedAtGmx] = await meet([blocksUs({ at: "banner" }), gmx]);
  expect(await blockedAtGmx.reply()).toMatch(/^554-gmx\.net [\s\S]*IP address is block listed/);

  const [atMimecast] = await meet([greylists({ delayMs: 1_000 }), mimecast]);
  await atMimecast.enter();
  expect(await atMimecast.ask("RCPT TO:<ann@lab.example>")).toMatch(/^451 Internal resources/);
});

test("google takes one recipient domain in a transaction, outlook.com one recipient", async () => {
  const [gmail] = await meet(google);
  await gmail.enter();
  await gmail.ask("RCPT TO:<ann@lab.example>");
  expect(await gmail.ask("RCPT TO:<ann@second.example>")).toMatch(/^451-4\.3\.0 Multiple/);

  const [hotmail] = await meet(outlookCom);
  await hotmail.enter();
  await hotmail.ask("RCPT TO:<ann@lab.example>");
  expect(await hotmail.ask("RCPT TO:<ann@lab.example>")).toMatch(/^452 4\.5\.3 Too many recipients/);
});

test("extensions differ from provider to provider", async () => {
  const [gmail] = await meet(google);
  expect(await gmail.enter()).toMatch(/250-CHUNKING[\s\S]*250 STARTTLS$/);
  const [atYahoo] = await meet(yahoo);
  expect(await atYahoo.enter()).not.toContain("SMTPUTF8");
  const [debian] = await meet(exim);
  expect(await debian.enter()).not.toContain("STARTTLS");
});
