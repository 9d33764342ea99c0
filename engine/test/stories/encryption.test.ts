/** STARTTLS: used where offered, whatever the certificate, and left out where it fails. */
import {
  failsToStartTls,
  google,
  mailDomain,
  noEhlo,
  noPipelining,
  offersTls,
  requiresTls,
  type Temper,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { NO_VIOLATIONS, openStory, tellStories, violationsAt } from "./story.ts";

const at = (temper: Temper) => mailDomain({ users: ["ann"], temper });
const asUsual = { ann: "valid", eve: "invalid mailbox_not_found" };

tellStories([
  ["a self-signed certificate is accepted", at(offersTls("self_signed")), asUsual],
  ["an expired certificate is accepted", at(offersTls("expired")), asUsual],
  ["an obsolete version of TLS is accepted", at(offersTls("obsolete")), asUsual],
  ["after a garbled handshake the session is plain text", at(offersTls("garbled")), asUsual],
  ["a server that offers STARTTLS and then refuses it is probed in plain text", at(failsToStartTls), asUsual],
  ["a server that requires TLS gets it", at(requiresTls), asUsual],
  ["also without pipelining", at([noPipelining, requiresTls]), asUsual],
  ["also with the replies of a large provider", at([requiresTls, google]), asUsual],
  [
    "a server that requires TLS and fails at it refuses every recipient",
    at([offersTls("garbled"), requiresTls]),
    { ann: "unknown probe_blocked", eve: "unknown probe_blocked" },
  ],
  ["without EHLO the session is plain text", at([noEhlo, offersTls()]), asUsual],
]);

test("after a handshake timeout the session is plain text", async () => {
  await using story = await openStory({ "shop.test": at(offersTls("silent")) }, { probeTimeoutMs: 9000 });
  expect(await story.verdictsOn(["ann@shop.test", "eve@shop.test"])).toEqual(Object.values(asUsual));
});

test("a broken handshake is remembered: the next session is plain text from the start", async () => {
  await using story = await openStory({ "shop.test": at(offersTls("garbled")) });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(await story.verdictOn("eve@shop.test")).toBe("invalid mailbox_not_found");
  await story.end();

  const { connections, commands } = story.lab.counts("mx.shop.test");
  expect(commands.STARTTLS).toBe(1);
  expect(connections).toBe(2); // the broken one, and the one that worked
});

test("EHLO is sent again inside TLS, and QUIT at the end", async () => {
  await using story = await openStory({ "shop.test": at(requiresTls) });
  await story.verdictsOn(["ann@shop.test", "eve@shop.test"]);
  await story.end();

  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
  const verbs = story.lab.heard("mx.shop.test").map((line) => line.split(" ", 1)[0]);
  expect(verbs).toEqual(["EHLO", "STARTTLS", "EHLO", "MAIL", "RCPT", "RCPT", "RCPT", "RSET", "QUIT"]);
});
