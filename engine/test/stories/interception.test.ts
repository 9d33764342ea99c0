/** A device in the network that answers for all mail servers. */
import {
  answersWith,
  google,
  type MailWorld,
  mailDomain,
  mailHost,
  type Temper,
  type Temperament,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { deferred } from "../../src/deferred.ts";
import { identityOf, NO_VIOLATIONS, openStory, violationsAt } from "./story.ts";

const BANNER = "220 filter.isp.test ESMTP";
const REFUSAL = "554 5.7.1 Relay access denied";

const deviceThat = (reply: string): Temper => [
  { replies: { banner: BANNER } },
  answersWith({ at: "rcpt", reply }),
];
const refuses = deviceThat(REFUSAL);
const accepts = deviceThat("250 2.1.5 Ok");

const PROVIDERS = {
  "gmail.test": "gmail-smtp-in.l.google.com",
  "outlook.test": "outlook-test.olc.protection.outlook.com",
  "yahoo.test": "mta5.am0.yahoodns.net",
};
const ANN_AT_PROVIDERS = Object.keys(PROVIDERS).map((name) => `ann@${name}`);
const users = ["ann"];

/** Three domains at providers, and `shop.test` at a mail host of its own. */
const worldOf = (atProviders: Temper, atShop: Temper): MailWorld => ({
  ...Object.fromEntries(
    Object.entries(PROVIDERS).map(([name, mx]) => [name, mailDomain({ mx: [mx], users })]),
  ),
  ...Object.fromEntries(Object.values(PROVIDERS).map((mx) => [mx, mailHost({ temper: atProviders })])),
  "shop.test": mailDomain({ temper: atShop, users }),
});

test.each([
  ["refuses", refuses],
  ["accepts", accepts],
])(
  "a device that %s every recipient proves nothing once it has answered for three providers",
  async (_, device) => {
    await using story = await openStory(worldOf(device, device), { threads: 0 });
    for (const email of ANN_AT_PROVIDERS) await story.evidenceFor(email);
    const emails = ["ann@shop.test", "bob@shop.test", "bob@yahoo.test"];
    expect(await story.verdictsOn(emails)).toEqual(Array(3).fill("unknown egress_blocked"));
    await story.end();
    expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
  },
);

test("mail hosts that name themselves are believed beside it", async () => {
  await using story = await openStory(worldOf(refuses, []), { threads: 0 });
  for (const email of ANN_AT_PROVIDERS) await story.evidenceFor(email);
  expect(await story.verdictsOn(["ann@shop.test", "bob@shop.test"])).toEqual([
    "valid",
    "invalid mailbox_not_found",
  ]);
});

test("what it says of the recipients of open sessions proves nothing either", async () => {
  const isRecognised = deferred<void>();
  const hesitates: Temperament = {
    replies: { banner: BANNER },
    on: {
      rcpt: () => ({ until: isRecognised.promise, reply: REFUSAL }),
      quit: () => void isRecognised.resolve(),
    },
  };
  await using story = await openStory(worldOf(hesitates, []), { threads: 0 });
  expect(await story.verdictsOn(ANN_AT_PROVIDERS)).toEqual(Array(3).fill("unknown egress_blocked"));
});

test("an identity in another network asks instead", async () => {
  const [behind, beside] = ["127.0.0.61", "127.0.0.62"];
  const onlyBehind: Temperament = {
    on: {
      banner: ({ client }) => (client === behind ? { reply: BANNER } : undefined),
      rcpt: ({ client }) => (client === behind ? { reply: REFUSAL } : undefined),
    },
  };
  const egress = [
    identityOf("behind", { sourceAddress: behind, share: 1000 }),
    identityOf("beside", { sourceAddress: beside, share: 0.001 }),
  ];
  await using story = await openStory(worldOf(onlyBehind, onlyBehind), { egress, threads: 0 });
  for (const email of ANN_AT_PROVIDERS) await story.evidenceFor(email);
  expect(await story.verdictsOn(["ann@shop.test", "bob@shop.test"])).toEqual([
    "valid",
    "invalid mailbox_not_found",
  ]);
});

test("the hosts of one provider may all name the same host", async () => {
  const hosts = ["aspmx.l.google.com", "aspmx2.googlemail.com", "gmail-smtp-in.l.google.com"];
  const world: MailWorld = {};
  for (const [i, mx] of hosts.entries()) {
    world[`google${i}.test`] = mailDomain({ mx: [mx], users });
    world[mx] = mailHost({ temper: google });
  }
  await using story = await openStory(world);
  expect(await story.verdictsOn(hosts.map((_, i) => `ann@google${i}.test`))).toEqual(
    hosts.map(() => "valid"),
  );
});
