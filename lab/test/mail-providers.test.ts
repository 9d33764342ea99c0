/** Imitations of providers: each has its own replies, and composes like any temperament. */
import { expect, test } from "vitest";
import {
  blocksClient,
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
import { connectTo } from "./mail-setup.ts";

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
  "%s has its own banner and its own reply for a missing mailbox",
  async (_, temper, banner, reply) => {
    const [client] = await connectTo(temper);
    expect(await client.reply()).toMatch(banner);
    await client.command("EHLO p.example");
    await client.command("MAIL FROM:<probe@prober.example>");
    expect(await client.command("RCPT TO:<ann@lab.example>")).toMatch(/^250 /);
    await client.command("RSET");
    await client.command("MAIL FROM:<probe@prober.example>");
    const answer = await client.command("RCPT TO:<eve@lab.example>");
    expect(answer).toMatch(reply);
    expect(answer).not.toMatch(/\{\w+\}/);
    expect(await client.command("QUIT")).toMatch(/^221 /);
  },
);

test("full and disabled mailboxes, blocks and greylisting use the replies of the provider", async () => {
  const [gmail] = await connectTo([overQuota(["ann"]), disabled(["old"]), google]);
  await gmail.enter();
  expect(await gmail.command("RCPT TO:<ann@lab.example>")).toMatch(/^452-4\.2\.2 [\s\S]*p=OverQuotaTemp/);
  expect(await gmail.command("RCPT TO:<old@lab.example>")).toMatch(/^550-5\.2\.1 [\s\S]*p=DisabledUser/);

  const [blockedAtGmx] = await connectTo([blocksClient({ at: "banner" }), gmx]);
  expect(await blockedAtGmx.reply()).toMatch(/^554-gmx\.net [\s\S]*IP address is block listed/);

  const [atMimecast] = await connectTo([greylists({ delayMs: 1_000 }), mimecast]);
  await atMimecast.enter();
  expect(await atMimecast.command("RCPT TO:<ann@lab.example>")).toMatch(/^451 Internal resources/);
});

test("google accepts one recipient domain per transaction, outlook.com one recipient", async () => {
  const [gmail] = await connectTo(google);
  await gmail.enter();
  await gmail.command("RCPT TO:<ann@lab.example>");
  expect(await gmail.command("RCPT TO:<ann@second.example>")).toMatch(/^451-4\.3\.0 Multiple/);

  const [hotmail] = await connectTo(outlookCom);
  await hotmail.enter();
  await hotmail.command("RCPT TO:<ann@lab.example>");
  expect(await hotmail.command("RCPT TO:<ann@lab.example>")).toMatch(/^452 4\.5\.3 Too many recipients/);
});

test("extensions differ between providers", async () => {
  const [gmail] = await connectTo(google);
  expect(await gmail.enter()).toMatch(/250-CHUNKING[\s\S]*250 STARTTLS$/);
  const [atYahoo] = await connectTo(yahoo);
  expect(await atYahoo.enter()).not.toContain("SMTPUTF8");
  const [debian] = await connectTo(exim);
  expect(await debian.enter()).not.toContain("STARTTLS");
});
