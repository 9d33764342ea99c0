/** Large providers and common servers in their own words. */
import {
  blocksClient,
  disabled,
  exchange,
  exim,
  gmx,
  google,
  greylists,
  icloud,
  type MailWorld,
  mailDomain,
  mailHost,
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
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { openStory } from "./story.ts";

/** Slug, one of its mail hosts, and its behaviour. */
const HONEST: readonly (readonly [slug: string, host: string, temper: Temper])[] = [
  ["google", "gmail-smtp-in.l.google.com", google],
  ["google_workspace", "aspmx.l.google.com", google],
  ["microsoft_365", "shop-test.mail.protection.outlook.com", microsoft365],
  ["outlook", "outlook-com.olc.protection.outlook.com", outlookCom],
  ["icloud", "mx01.mail.icloud.com", icloud],
  ["gmx", "mx00.emig.gmx.net", gmx],
  ["mimecast", "eu-smtp-inbound-1.mimecast.com", mimecast],
  ["proofpoint", "mx0a-00191d01.pphosted.com", proofpoint],
  ["mail_ru", "mxs.mail.ru", mailRu],
  ["yandex", "mx.yandex.net", yandex],
  ["qq", "mx1.qq.com", qq],
  ["orange", "smtp-in.orange.fr", orange],
  ["other", "exim.host.test", exim],
  ["other", "exchange.host.test", exchange],
  ["other", "qmail.host.test", qmail],
];

const worldAt = (host: string, temper: Temper): MailWorld => ({
  [host]: mailHost({ temper }),
  "shop.test": mailDomain({ mx: [host], users: ["annabel", "berthold"] }),
});

test.concurrent.each(HONEST)(
  "%s at %s: existing, missing, full and disabled mailboxes",
  async (slug, host, temper) => {
    const world = worldAt(host, [overQuota(["maximilian"]), disabled(["formerly"]), temper]);
    await using story = await openStory(world);
    const { provider } = await story.evidenceFor("annabel@shop.test");
    expect(provider).toBe(slug);
    const mailboxes = ["annabel", "berthold", "evangeline", "maximilian", "formerly"];
    expect(await story.verdictsOn(mailboxes.map((mailbox) => `${mailbox}@shop.test`))).toEqual([
      "valid",
      "valid",
      "invalid mailbox_not_found",
      "risky mailbox_full",
      "invalid mailbox_disabled",
    ]);
  },
);

test.concurrent.each(
  HONEST.filter(([slug]) => slug !== "google_workspace").flatMap(([slug, host, temper]) =>
    (["banner", "mail", "rcpt"] as const).map((stage) => [slug, host, stage, temper] as const),
  ),
)("%s at %s blocks us at %s: no mailbox is invalid", async (_, host, stage, temper) => {
  await using story = await openStory(worldAt(host, [blocksClient({ at: stage }), temper]));
  const verdicts = await story.verdictsOn(["annabel@shop.test", "evangeline@shop.test"]);
  for (const verdict of verdicts) expect(verdict).toMatch(/^unknown (probe_blocked|rate_limited)$/);
});

test.concurrent.each(HONEST)("%s at %s greylists: no mailbox is invalid", async (_, host, temper) => {
  await using story = await openStory(worldAt(host, [greylists({ delayMs: 60_000 }), temper]));
  const evidence = await story.evidenceFor("annabel@shop.test");
  expect(["greylisted", "temporary_error"]).toContain(evidence.mailbox?.answer);
  expect(evidence.mailbox?.retryAfterSeconds).toBeGreaterThan(0);
});

test("yahoo accepts every name, so no mailbox is proven there", async () => {
  await using story = await openStory(worldAt("mta5.am0.yahoodns.net", yahoo));
  expect(await story.verdictsOn(["annabel@shop.test", "evangeline@shop.test"])).toEqual([
    "risky catch_all",
    "risky catch_all",
  ]);
});

test("a major provider gets at most three recipients per session", async () => {
  await using story = await openStory({
    "aspmx.l.google.com": mailHost({ temper: google }),
    "shop.test": mailDomain({ mx: ["aspmx.l.google.com"], users: () => true }),
  });
  await story.verdictsOn(["a", "b", "c", "d", "e"].map((name) => `${name}nnabel@shop.test`));
  await story.end();
  const { connections, commands } = story.lab.counts("aspmx.l.google.com");
  expect((commands.RCPT ?? 0) / connections).toBeLessThanOrEqual(3);
});
