/** Name servers that deny every name: major providers are not reported invalid because of them. */
import { type DnsEntry, mailDomain, refused } from "@mailvet/lab";
import { expect, test } from "vitest";
import { openStory } from "./stories/story.ts";

const NULL_MX: DnsEntry = { MX: [{ preference: 0, exchange: "." }] };
const INSIDE: DnsEntry = { MX: [{ preference: 0, exchange: "inside.test" }], A: ["9.9.9.9"] };

/** Negative answers of a name server to every query. */
const DENIALS = [
  ["domain_not_found", "domain_not_found", undefined],
  ["no_mail_server", "no_mail_server", { TXT: ["nothing"] }],
  ["null_mx", "null_mx", NULL_MX],
  ["unroutable_mail_server", "unroutable_mail_server", INSIDE],
] as const satisfies readonly [string, string, DnsEntry | undefined][];

test.concurrent.each(DENIALS)(
  "%s is accepted for an unknown domain, not for a major provider",
  async (_, subStatus, entry) => {
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
  },
);

test("a major provider with mail hosts is probed like any other", async () => {
  await using story = await openStory({ "yahoo.co.uk": mailDomain({ users: ["ann.longname"] }) });
  expect(await story.evidenceFor("ann.longname@yahoo.co.uk")).toMatchObject({
    route: { kind: "mail_hosts", isPartial: false },
    mailbox: { answer: "accepted" },
  });
});

test("a DNS failure at a major provider keeps its own reason", async () => {
  await using story = await openStory({ "gmail.com": { answers: refused } });
  const { route } = await story.evidenceFor("ann.longname@gmail.com");
  expect(route).toEqual({ kind: "dns_error", hosts: [], reason: "refused" });
});
