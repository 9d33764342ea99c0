/** A complete lab: DNS and mail together. */
import { Resolver } from "node:dns/promises";
import { expect, test } from "vitest";
import {
  acceptsEveryone,
  answersWith,
  blocksClient,
  google,
  type Lab,
  mailDomain,
  mailHost,
  openLab,
  overQuota,
} from "../src/index.ts";
import { type MailClient, openMailClient } from "./mail-client.ts";

/** Looks up the first mail host of the domain at the lab's name server, and connects to it. */
async function callDomain(lab: Lab, domain: string): Promise<MailClient> {
  const resolver = new Resolver();
  resolver.setServers([lab.nameServer]);
  const exchanges = await resolver.resolveMx(domain);
  const [first] = exchanges.sort((a, b) => a.priority - b.priority);
  const [address] = await resolver.resolve4(first?.exchange ?? domain);
  return openMailClient({ address: address ?? "", port: lab.smtpPort });
}

test("a mail domain has an MX record, a host on its own address, and mailboxes", async () => {
  await using lab = await openLab({
    "open.test": mailDomain({ temper: acceptsEveryone }),
    "shop.test": mailDomain({
      users: ["ann"],
      temper: overQuota(["max"]),
      records: { TXT: ["v=spf1 -all"] },
    }),
  });
  await using client = await callDomain(lab, "shop.test");
  expect(await client.reply()).toBe("220 mx.shop.test ESMTP Postfix");
  await client.command("EHLO p.example");
  await client.command("MAIL FROM:<probe@prober.example>");
  expect(await client.command("RCPT TO:<ann@shop.test>")).toMatch(/^250/);
  expect(await client.command("RCPT TO:<any@open.test>")).toMatch(/^554/);

  expect(lab.received("mx.shop.test")).not.toContain("DATA");
  expect(lab.counts("mx.shop.test")).toMatchObject({ connections: 1, commands: { RCPT: 2 } });
  expect(lab.counts("mx.open.test").connections).toBe(0);
  expect(["ann", "max", "eve"].map((user) => lab.truth(`${user}@Shop.test`))).toEqual([
    "exists",
    "full",
    "does_not_exist",
  ]);
  expect(lab.truth("any@open.test")).toBe("catch_all");
  expect(lab.truth("any@elsewhere.test")).toBeUndefined();
  expect(() => lab.received("mx.elsewhere.test")).toThrow("mx.open.test, mx.shop.test");
  expect(lab.questions("shop.test", "MX").length).toBeGreaterThan(0);
});

test("several domains can share a host, each with its own users and temperaments", async () => {
  await using lab = await openLab({
    "mx.big.test": mailHost({ temper: google }),
    "a.test": mailDomain({ mx: ["mx.big.test"], users: ["ann"] }),
    "b.test": mailDomain({ mx: ["mx.big.test"], users: ["bob"], temper: acceptsEveryone }),
    "c.test": mailDomain({
      mx: ["mx.big.test"],
      temper: answersWith({ at: "rcpt", reply: "451 4.3.0 later" }),
    }),
  });
  await using client = await callDomain(lab, "a.test");
  await client.enter();
  expect(await client.command("RCPT TO:<bob@a.test>")).toMatch(/^550-5\.1\.1/);
  expect(await client.command("RCPT TO:<x@c.test>")).toBe("451 4.3.0 later");
  expect(await client.command("RCPT TO:<x@b.test>")).toMatch(/^250 .*gsmtp/);
  expect(lab.truth("ann@a.test")).toBe("exists");
  expect(lab.truth("ann@b.test")).toBe("catch_all");
});

test("the first host of a domain can be down or have other temperaments than the second", async () => {
  await using lab = await openLab({
    "two.test": mailDomain({ users: ["ann"], hosts: { mx1: { down: true }, mx2: {} } }),
    "odd.test": mailDomain({
      users: ["ann"],
      hosts: { mx1: { temper: blocksClient({ at: "banner" }) }, mx2: {} },
    }),
  });
  await expect(callDomain(lab, "two.test")).rejects.toThrow("ECONNREFUSED");
  expect(lab.truth("ann@two.test")).toBe("exists");
  await using client = await callDomain(lab, "odd.test");
  expect(await client.reply()).toMatch(/^554/);
});

test("a domain without MX record can receive mail at its own address", async () => {
  await using lab = await openLab({ "bare.test": mailDomain({ implicitMx: true, users: ["ann"] }) });
  const resolver = new Resolver();
  resolver.setServers([lab.nameServer]);
  await expect(resolver.resolveMx("bare.test")).rejects.toThrow("ENODATA");
  const [address = ""] = await resolver.resolve4("bare.test");
  await using client = await openMailClient({ address, port: lab.smtpPort });
  expect(await client.reply()).toMatch(/^220 bare\.test /);
  expect(lab.truth("ann@bare.test")).toBe("exists");
});
