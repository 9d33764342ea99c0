/** STARTTLS: used where it is offered, whatever the certificate, and skipped where it breaks. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import {
  failsToStartTls,
  google,
  mailDomain,
  noEhlo,
  noPipelining,
  offersTls,
  openLab,
  requiresTls,
  type Temper,
  type Temperament,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { engineIn, manyAt, NO_VIOLATIONS, openStory, tellStories, violationsAt } from "./story.ts";

const at = (temper: Temper) => mailDomain({ users: ["ann"], temper });
const asUsual = { ann: "valid", eve: "invalid mailbox_not_found" };

tellStories([
  ["a self-signed certificate is accepted", at(offersTls("self_signed")), asUsual],
  ["so is an expired one", at(offersTls("expired")), asUsual],
  ["an obsolete version of TLS is accepted", at(offersTls("obsolete")), asUsual],
  ["a garbled handshake falls back to plain text", at(offersTls("garbled")), asUsual],
  ["so does a server that offers TLS and then refuses it", at(failsToStartTls), asUsual],
  ["a server that requires TLS gets it", at(requiresTls), asUsual],
  ["also without pipelining", at([noPipelining, requiresTls]), asUsual],
  ["also with the replies of a major provider", at([requiresTls, google]), asUsual],
  [
    "a server that requires TLS and cannot do it gives no verdict",
    at([offersTls("garbled"), requiresTls]),
    { ann: "unknown probe_blocked", eve: "unknown probe_blocked" },
  ],
  ["without EHLO there is no TLS, and it is not needed", at([noEhlo, offersTls()]), asUsual],
]);

/** Offers SMTPUTF8 inside TLS only. */
const internationalInsideTls: Temperament = {
  tls: "self_signed",
  on: { ehlo: ({ secure }) => (secure ? undefined : { reply: "250-mx\n250-PIPELINING\n250 STARTTLS" }) },
};
const failsToStartTlsOnce: Temperament = {
  on: {
    starttls: ({ number }) => (number === 1 ? { reply: "454 4.7.0 TLS not available" } : undefined),
  },
};

test("that SMTPUTF8 is missing is certain only where TLS works or is not offered", async () => {
  await using story = await openStory({
    "shop.test": mailDomain({ users: ["jörg"], temper: [failsToStartTlsOnce, internationalInsideTls] }),
    "two.test": mailDomain({
      users: ["jörg"],
      hosts: {
        mx1: { temper: [failsToStartTlsOnce, internationalInsideTls] },
        mx2: { temper: { extensions: { without: ["SMTPUTF8"] } } },
      },
    }),
  });
  expect(await story.verdictOn("jörg@shop.test")).toBe("unknown temporary_error");
  expect(await story.verdictOn("jörg@two.test")).toBe("unknown temporary_error");
});

test("a handshake without a response falls back to plain text", async () => {
  await using story = await openStory({ "shop.test": at(offersTls("silent")) }, { probeTimeoutMs: 9000 });
  expect(await story.verdictsOn(["ann@shop.test", "eve@shop.test"])).toEqual(Object.values(asUsual));
});

test("a broken handshake is remembered: the next session is plain from the start", async () => {
  await using story = await openStory({ "shop.test": at(offersTls("garbled")) });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(await story.verdictOn("eve@shop.test")).toBe("invalid mailbox_not_found");
  await story.end();

  const { connections, commands } = story.lab.counts("mx.shop.test");
  expect(commands.STARTTLS).toBe(1);
  expect(connections).toBe(2); // the broken one, and the one that worked
});

test.each(["garbled", "silent"] as const)(
  "a %s handshake at a host that allows one connection",
  async (handshake) => {
    await using story = await openStory(
      { "shop.test": mailDomain({ users: ["ann"], temper: offersTls(handshake), connectionCap: 1 }) },
      { probeTimeoutMs: 9000 },
    );
    expect(await story.verdictOn("ann@shop.test")).toBe("valid");
    expect(story.lab.counts("mx.shop.test").maxConcurrentConnections).toBe(1);
  },
);

test("a broken handshake is remembered, also where the connection after it was refused", async () => {
  const refusesSecond: Temperament = {
    on: {
      banner: ({ number }) =>
        number === 2 ? { reply: "421 4.7.0 mx Error: too many connections", close: "politely" } : undefined,
    },
  };
  await using story = await openStory({ "shop.test": at([refusesSecond, offersTls("garbled")]) });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(story.lab.counts("mx.shop.test").commands.STARTTLS).toBe(1);
});

test("the session inside TLS starts with EHLO again and is as polite", async () => {
  await using story = await openStory({ "shop.test": at(requiresTls) });
  await story.verdictsOn(["ann@shop.test", "eve@shop.test"]);
  await story.end();

  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
  const verbs = story.lab.received("mx.shop.test").map((line) => line.split(" ", 1)[0]);
  expect(verbs).toEqual(["EHLO", "STARTTLS", "EHLO", "MAIL", "RCPT", "RCPT", "RCPT", "RSET", "QUIT"]);
});

type RelayedSession = { sent: Buffer; ending: "end" | "reset" };

/** Forwards connections to a mail host, and keeps what the client sent in each and how it ended. */
async function openRelay(host: string, port: number) {
  const sessions: Promise<RelayedSession>[] = [];
  const relay = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ host, port, allowHalfOpen: true }).on("error", () => client.destroy());
    client.pipe(server).pipe(client);
    const chunks: Buffer[] = [];
    client.on("data", (chunk) => chunks.push(chunk));
    const ending = new Promise<RelayedSession["ending"]>((resolve) => {
      client.on("end", () => resolve("end"));
      client.on("error", () => resolve("reset"));
    });
    sessions.push(ending.then((it) => ({ sent: Buffer.concat(chunks), ending: it })));
  }).listen(0, host);
  await once(relay, "listening");
  const { port: relayPort } = relay.address() as AddressInfo;
  return { port: relayPort, sessions, [Symbol.dispose]: () => void relay.close() };
}

const HANDSHAKE_END = 20; // ChangeCipherSpec
const ALERT = 21;

/** The types of the TLS records after STARTTLS (RFC 5246, 6.2.1). */
function recordTypesIn(sent: Buffer): number[] {
  const types: number[] = [];
  const start = sent.indexOf("STARTTLS\r\n") + "STARTTLS\r\n".length;
  for (let at = start; at < sent.length; at += 5 + sent.readUInt16BE(at + 3)) types.push(sent[at]!);
  return types;
}

test.each([
  ["with a QUIT of its own", 1],
  ["with QUIT after the last recipients", 120],
])("a session %s ends TLS before it closes the connection", async (_, count) => {
  // An obsolete version, because TLS 1.3 hides the type of a record, and a server that does not end TLS first.
  const temper = [offersTls("obsolete"), { on: { quit: () => ({ reply: "221 2.0.0 Bye" }) } }];
  const users = ({ localPart }: { localPart: string }) => /[02468]$/.test(localPart);
  await using lab = await openLab({ "shop.test": mailDomain({ users, temper }) });
  using relay = await openRelay(lab.addressOf("mx.shop.test"), lab.smtpPort);
  const engine = engineIn(lab, { smtpPort: relay.port });
  await engine.verdictsOn(manyAt("shop.test", count));
  await engine.end();

  for (const { sent, ending } of await Promise.all(relay.sessions)) {
    expect(ending).toBe("end");
    const types = recordTypesIn(sent);
    expect(types).toContain(HANDSHAKE_END);
    expect(types.indexOf(ALERT)).toBe(types.length - 1); // close_notify, the only alert, is the last record
  }
});
