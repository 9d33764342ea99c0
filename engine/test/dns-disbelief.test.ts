/** Stories of name servers that deny the whole world: nobody's mailbox at a large house dies of it. */
import { type DnsEntry, mailDomain, refused } from "@mailvet/lab";
import { expect, test } from "vitest";
import { openStory } from "./stories/story.ts";

const NULL_MX: DnsEntry = { MX: [{ preference: 0, exchange: "." }] };
const INSIDE: DnsEntry = { MX: [{ preference: 0, exchange: "inside.test" }] };

/** What a name server says of every name it is asked for. */
const DENIALS = [
  ["that it does not exist", "domain_not_found", undefined],
  ["that there is no mail server", "no_mail_server", { TXT: ["nothing"] }],
  ["that it takes no mail", "null_mx", NULL_MX],
  ["that its mail host is a private address", "unroutable_mail_server", INSIDE],
] as const satisfies readonly [string, string, DnsEntry | undefined][];

test.concurrent.each(DENIALS)("%s is believed of a stranger, not of a giant", async (_, subStatus, entry) => {
  const names = ["gmail.com", "yahoo.co.uk", "shop.test"];
  const world = entry ? Object.fromEntries(names.map((name) => [name, entry])) : {};
  await using story = await openStory({ ...world, "inside.test": { A: ["10.0.0.1"] } });
  expect(await story.verdictsOn(["ann.longname@gmail.com", "ann@yahoo.co.uk", "ann@shop.test"])).toEqual([
    "unknown dns_error",
    "unknown dns_error",
    `invalid ${subStatus}`,
  ]);
  const { route } = await story.evidenceFor("ann.longname@gmail.com");
  expect(route).toEqual({ kind: "dns_error", hosts: [], reason: "disbelieved" });
});

test("a giant whose mail hosts are told is asked like anyone", async () => {
  await using story = await openStory({ "yahoo.co.uk": mailDomain({ users: ["ann.longname"] }) });
  expect(await story.evidenceFor("ann.longname@yahoo.co.uk")).toMatchObject({
    route: { kind: "mail_hosts", isPartial: false },
    mailbox: { answer: "accepted" },
  });
});

test("a failure at a giant keeps its own name", async () => {
  await using story = await openStory({ "gmail.com": { answers: refused } });
  const { route } = await story.evidenceFor("ann.longname@gmail.com");
  expect(route).toEqual({ kind: "dns_error", hosts: [], reason: "refused" });
});
