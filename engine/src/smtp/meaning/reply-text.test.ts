import { expect, test } from "vitest";
import { parseReply } from "../reply.ts";
import { replyTextOf } from "./reply-text.ts";

const clean = (reply: string, echoes = {}) => replyTextOf(parseReply(reply), echoes).clean;

test.each([
  [
    "550 <ann@example.com>: Recipient address rejected: User unknown",
    "recipient address rejected user unknown",
  ],
  ["550 5.1.1 ann@example.com... No such user", "no such user"],
  ["554 192.0.2.1 listed, see https://example.org/?ip=192.0.2.1", "@ip listed see"],
  ["554 [2001:db8::1] is blocked", "@ip is blocked"],
  ["450 Client host {IP} has no PTR", "client host @ip has no ptr"],
  ["550 The user doesn't exist!", "the user doesnt exist ."],
  ["550 L’adresse n'existe pas", "l adresse n existe pas"],
  ["552 Boîte pleine; réessayez", "boite pleine . reessayez"],
  ["550 unknown/inactive user", "unknown or inactive user"],
  ["553 >_is_blocked", "is blocked"],
  ["450 try again in 00:04:59", "try again in 00:04:59"],
])("%s", (reply, words) => {
  expect(clean(reply)).toBe(words);
});

test("our own names and the recipient's name are removed", () => {
  expect(clean("550 mail from probe.example.org refused", { ourNames: ["probe.example.org"] })).toBe(
    "mail from refused",
  );
  expect(clean("550 user quota unknown", { recipient: "quota@example.com" })).toBe("user unknown");
  expect(clean("552 mailbox full", { recipient: "full@example.com" })).toBe("mailbox full");
});

test("our sender and our host name are told from the recipient", () => {
  const text = replyTextOf(
    parseReply("550 mx.probe.example: <ann@probe.example> and bob@example.com unknown"),
    {
      ourNames: ["mx.probe.example", "ann@probe.example"],
      recipient: "bob@example.com",
    },
  );
  expect(text.marked).toBe("@us , @sender and @to unknown");
  expect(text.clean).toBe("and unknown");
});

test("a name is ours as a whole word, and only if the recipient's domain is another", () => {
  const ours = { ourNames: ["ann@probe.example"], recipient: "bob@example.com" };
  expect(clean("550 domain probe.example refused, not xprobe.example", ours)).toBe(
    "domain refused not xprobe.example",
  );
  expect(clean("550 domain probe.example refused", { ...ours, recipient: "bob@probe.example" })).toBe(
    "domain probe.example refused",
  );
});

test("the recipient's name is removed as a whole, in capitals too", () => {
  const recipient = "Ann.Baker@example.com";
  expect(clean(`550 <${recipient}>: User unknown`, { recipient })).toBe("user unknown");
  expect(clean(`550 Mailbox for ${recipient} not found`, { recipient })).toBe("mailbox for not found");
  expect(clean("550 User <Ann.Baker> unknown", { recipient })).toBe("user unknown");
  expect(clean(`550 Rejected.${recipient} is unknown.Check it`, { recipient })).toBe(
    "rejected . is unknown . check it",
  );
});

test("a mailbox named like a noun of the rules removes no noun", () => {
  expect(clean("550 user unknown", { recipient: "user@example.com" })).toBe("user unknown");
});
