/** STARTTLS: used where it is offered, whatever the certificate, and skipped where it breaks. */
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

test("the session inside TLS starts with EHLO again and is as polite", async () => {
  await using story = await openStory({ "shop.test": at(requiresTls) });
  await story.verdictsOn(["ann@shop.test", "eve@shop.test"]);
  await story.end();

  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
  const verbs = story.lab.received("mx.shop.test").map((line) => line.split(" ", 1)[0]);
  expect(verbs).toEqual(["EHLO", "STARTTLS", "EHLO", "MAIL", "RCPT", "RCPT", "RCPT", "RSET", "QUIT"]);
});
