/** Classes of replies that were misread in replies quoted from public sources: each by combining its parts. */
import { expect, test } from "vitest";
import { replay } from "./replay/replay.ts";

const CODES = ["550", "550 5.1.1", "553 5.1.2", "550 5.1.2", "554 5.7.1", "553 5.6.7"];

/** Every choice of one part from each list, with each code. */
function repliesOf(codes: readonly string[], ...parts: readonly (readonly string[])[]): string[] {
  let texts: string[] = [...codes];
  for (const part of parts) texts = texts.flatMap((text) => part.map((words) => `${text} ${words}`));
  return texts;
}

const statuses = (replies: readonly string[], status: string) =>
  replies.filter((reply) => replay({ reply }).status === status);

test("a failed lookup does not prove that the domain is missing", () => {
  const replies = repliesOf(
    CODES,
    [
      "DNS error when resolving MX server for replay.example:",
      "DNS failure,",
      "Nameserver timeout:",
      "Error while resolving the domain:",
      "Problem looking up replay.example:",
    ],
    ["Domain name not found", "domain not found", "Domain does not exist", "unknown host", "host not found"],
  );
  expect(statuses(replies, "invalid")).toEqual([]);
});

test("an address in the wrong form is not a missing one", () => {
  const replies = repliesOf(
    CODES,
    ["Address", "Recipient address", "Mailbox name", "The email address"],
    ["not valid", "is not valid", "is not a valid", "invalid"],
    ["UTF8", "UTF-8", "RFC5321", "RFC822 form"],
  );
  expect(statuses(replies, "invalid")).toEqual([]);
});

test("a demand for a complete address is not a missing mailbox", () => {
  const replies = repliesOf(
    CODES,
    ["sorry, you must", "You have to", "Recipients must", "The sender needs to", "Please,", "Kindly"],
    [
      "specify a domain",
      "provide a full address",
      "include the domain",
      "supply a valid recipient",
      "name a mailbox",
    ],
  );
  expect(statuses(replies, "invalid")).toEqual([]);
});

test("the name of a mail service beside the recipient does not change what is meant", () => {
  const replies = repliesOf(
    ["550", "550 5.1.1", "553 5.3.0 <ann@replay.example>... 550"],
    ["worldnet", "Gmail", "Yahoo", "Comcast", "Libero"],
    ["user", "addressee", "account"],
    ["unknown", "not found", "unknown, relay=[192.0.2.156]"],
  );
  expect(statuses(replies, "unknown")).toEqual([]);
});

test("not available here: the mailbox is missing; not available now: it may be there", () => {
  const subjects = ["Email address - ann@replay.example -", "User ann@replay.example", "This mailbox"];
  const here = repliesOf(["550", "557"], subjects, ["is not available here", "is no longer available here"]);
  expect(statuses(here, "unknown")).toEqual([]);
  const now = repliesOf(["550", "557"], subjects, ["is not available now", "is not available here today"]);
  expect(statuses(now, "invalid")).toEqual([]);
});

test("a full disk, server or domain is not a full mailbox", () => {
  const replies = repliesOf(
    ["552", "452", "552 5.2.2", "452 4.2.2"],
    [
      "The disk of our server",
      "Server disk",
      "The mail queue",
      "The log partition",
      "The backup volume of this host",
      "MailDomain replay.example",
      "The user database",
      "Organization storage",
      "The quarantine",
    ],
    ["is full", "is over quota", "quota has been exceeded", "has exceeded its disk quota"],
  );
  expect(statuses(replies, "risky")).toEqual([]);
  expect(statuses(replies, "invalid")).toEqual([]);
});

test("a full mailbox is recognised, wherever it is kept", () => {
  const replies = repliesOf(
    ["552", "452", "552 5.2.2", "452 4.2.2"],
    [
      "Mailbox",
      "The mailbox",
      "The mailbox on our server",
      "User ann@replay.example",
      "The recipient's inbox",
      "The mail box of the user",
    ],
    ["is full", "is over quota", "has exceeded its disk quota", "quota exceeded"],
  );
  expect(statuses(replies, "unknown")).toEqual([]);
});

test("a mailbox in two words, a list of routes and an inactive address name the recipient", () => {
  const replies = repliesOf(
    ["550", "553 5.3.0"],
    [
      "** No mail box available for this user **",
      "recipient not in route list",
      "user is not in address list",
      "ann@replay.example is not an active address at this host (invalid FreeUK username)",
    ],
  );
  expect(statuses(replies, "unknown")).toEqual([]);
});

test("a domain with a private MX address, and the size limit of an organisation, say nothing of the mailbox", () => {
  const replies = [
    "550 5.7.1 <ann@replay.example>: Recipient address rejected: Address uses MX in private address space (172.16.0.0/12)",
    "550 5.1.2 Domain uses MX in loopback address space (127.0.0.0/8)",
    "550 5.2.3 RESOLVER.RST.SendSizeLimit.Org; message too large for this organization",
  ];
  expect(replies.map((reply) => replay({ reply }).status)).toEqual(["unknown", "unknown", "unknown"]);
});

test("a restriction that gives no reason proves nothing, whatever its code", () => {
  const replies = repliesOf(
    ["554 5.1.1", "554 5.1.2", "550 5.1.6"],
    ["<ann@replay.example>: Recipient address rejected:"],
    ["reject", "denied", "refuse"],
  );
  expect(statuses(replies, "invalid")).toEqual([]);
});

test("a code alone is no proof beside a word that no list has", () => {
  const replies = repliesOf(
    ["550 5.1.1", "550 5.1.2", "550 5.2.1", "550 5.1.6"],
    ["Gremlins in the plumbing", "See the frobnication ledger", "Kindly perform the ritual", "wibble"],
  );
  expect(statuses(replies, "invalid")).toEqual([]);
  const bare = ["550 5.1.1", "550 5.1.1 <ann@replay.example>", "550 5.1.1 rejected", "550 5.1.1 Sorry"];
  expect(statuses(bare, "unknown")).toEqual([]);
});
