/** The engine as a library: options in, documents of the API out. */
import { type Lab, mailDomain, openLab, saysNothing } from "@mailvet/lab";
import { expect, test } from "vitest";
import { createEngine, type EngineOptions } from "../src/engine.ts";

const WORLD = {
  "shop.test": mailDomain({ users: ["ann", "bob"] }),
  "quiet.test": mailDomain({ users: ["ann"], temper: [saysNothing({ at: "rcpt" })] }),
};

const reaching = ({ nameServer, smtpPort }: Lab): EngineOptions => ({
  dnsServers: [nameServer],
  smtpPort,
  egressAllow: ["127.0.0.0/8"],
  threads: 1,
});
const inLab = (lab: Lab) =>
  createEngine({ ...reaching(lab), ehloName: "probe.test", mailFrom: "probe@probe.test" });

test("check returns the document of the API", async () => {
  await using lab = await openLab(WORLD);
  await using engine = await inLab(lab);
  expect(await engine.check("ann@shop.test")).toMatchObject({
    email: "ann@shop.test",
    status: "valid",
    metadata: { plan_tier: "local" },
  });
  expect(await engine.check("eve@shop.test")).toMatchObject({
    status: "invalid",
    sub_status: "mailbox_not_found",
  });
  expect(await engine.check("ann@shop.test", { level: "syntax" })).toMatchObject({
    status: "unknown",
    sub_status: "smtp_skipped",
  });
});

test("checkMany yields results in input order, from any iterable", async () => {
  await using lab = await openLab(WORLD);
  await using engine = await inLab(lab);
  const emails = ["eve@shop.test", "not an address", "bob@shop.test"];
  const results: string[] = [];
  for await (const { status } of engine.checkMany(emails)) results.push(status);
  expect(results).toEqual(["invalid", "invalid", "valid"]);
});

test("an unknown level is refused", async () => {
  await using engine = await createEngine({ threads: 1 });
  const level = "SMTP" as "smtp";
  await expect(engine.check("not an address", { level })).rejects.toThrow("syntax, dns or smtp");
  expect(() => engine.checkMany(["not an address"], { level })).toThrow("syntax, dns or smtp");
});

test("a closed engine refuses checks; those under way end", async () => {
  await using lab = await openLab(WORLD);
  const engine = await inLab(lab);
  const underWay = engine.check("ann@quiet.test");
  await engine.close();
  await expect(engine.check("ann@shop.test")).rejects.toThrow("the engine is closed");
  await expect(engine.checkDomain("shop.test")).rejects.toThrow("the engine is closed");
  expect(() => engine.checkMany(["ann@shop.test"])).toThrow("the engine is closed");
  await engine.close(); // a second time is harmless
  expect(await underWay).toMatchObject({ status: "unknown" });
});

test("a check that takes longer than its time is unknown", async () => {
  await using lab = await openLab(WORLD);
  await using engine = await inLab(lab);
  expect(await engine.check("ann@quiet.test", { timeoutMs: 50 })).toMatchObject({ status: "unknown" });
});

test("an aborted check rejects with the reason of its signal", async () => {
  await using lab = await openLab(WORLD);
  await using engine = await inLab(lab);
  const leaving = new AbortController();
  const check = engine.check("ann@quiet.test", { signal: leaving.signal });
  leaving.abort(new Error("no longer needed"));
  await expect(check).rejects.toThrow("no longer needed");
  await expect(engine.check("ann@shop.test", { signal: leaving.signal })).rejects.toThrow("no longer needed");
});

test("checkDomain reports the mail route, and refuses what is no domain", async () => {
  await using lab = await openLab(WORLD);
  await using engine = await inLab(lab);
  expect(await engine.checkDomain("shop.test")).toMatchObject({
    domain: "shop.test",
    mail_route: { kind: "mx" },
    catchall: { is_catchall: false },
  });
  await expect(engine.checkDomain("no domain")).rejects.toMatchObject({ name: "InvalidDomain" });
});

test("explainReply interprets a reply without any network", async () => {
  await using engine = await createEngine();
  expect(engine.explainReply("550 5.1.1 User unknown")).toMatchObject({
    meaning: "mailbox_not_found",
    mailbox: "does_not_exist",
  });
  expect(engine.explainReply("554 5.7.1 Blocked", { stage: "banner" })).toMatchObject({ mailbox: "unknown" });
});

test("several egress identities have the fields of EGRESS_FILE", async () => {
  await using lab = await openLab(WORLD);
  const egress = [
    { name: "one", ehlo_name: "one.probe.test", source_address: "127.0.0.1" },
    { name: "two", ehlo_name: "two.probe.test", source_address: "127.0.0.2" },
  ];
  await using engine = await createEngine({ ...reaching(lab), egress });
  expect(await engine.check("ann@shop.test")).toMatchObject({ status: "valid" });
});

test("every invalid option is named", async () => {
  await expect(
    createEngine({ ehloName: "not a name", smtpPort: 0, dnsServers: ["nowhere"] }),
  ).rejects.toMatchObject({
    problems: [
      expect.stringMatching(/^DNS_SERVERS/),
      expect.stringMatching(/^SMTP_PORT/),
      expect.stringMatching(/^EHLO_NAME/),
    ],
  });
  await expect(createEngine({ egress: [{ name: "one", ehlo_name: "nothing to see" }] })).rejects.toThrow(
    'egress: identity "one": ehlo_name',
  );
  await expect(
    createEngine({ ehloName: "probe.test", egress: [{ name: "one", ehlo_name: "one.test" }] }),
  ).rejects.toThrow("in egress");
});
