/** STARTTLS at the lab's servers: as it should be, and in every way it goes wrong. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { failsToStartTls, offersTls, requiresTls } from "../src/mail/index.ts";
import { meet, rcpt } from "./mail-meeting.ts";

test("a server that requires TLS refuses MAIL before and takes it after", async () => {
  const [client] = await meet(requiresTls);
  await client.reply();
  expect(await client.ask("EHLO p.example")).toContain("STARTTLS");
  expect(await client.ask("MAIL FROM:<a@b.example>")).toMatch(/^530 5\.7\.0 /);
  expect(await client.ask("STARTTLS")).toMatch(/^220 /);
  const { client: secure, expires } = await client.startTls();
  expect(expires).toContain("2056");
  expect(await secure.ask("MAIL FROM:<a@b.example>")).toMatch(/^503 /); // nothing is remembered across TLS
  expect(await secure.ask("EHLO p.example")).not.toContain("STARTTLS");
  expect(await secure.ask("MAIL FROM:<a@b.example>")).toMatch(/^250 /);
  expect(await secure.ask(rcpt("ann"))).toMatch(/^250 /);
  expect(await secure.ask("QUIT")).toMatch(/^221 /);
});

test("what is slipped in behind STARTTLS is not carried into the encrypted talk", async () => {
  const [client, server] = await meet(offersTls());
  await client.reply();
  await client.ask("EHLO p.example");
  client.send("STARTTLS\r\nEHLO intruder.example\r\n");
  expect(await client.reply()).toMatch(/^220 /);
  const { client: secure } = await client.startTls();
  expect(await secure.ask("MAIL FROM:<a@b.example>")).toMatch(/^503 /);
  expect(server.heard).not.toContain("EHLO intruder.example");
});

test("an expired certificate can be met, and its date read", async () => {
  const [client] = await meet(offersTls("expired"));
  await client.reply();
  await client.ask("STARTTLS");
  expect((await client.startTls()).expires).toContain("2002");
});

test.each(["self_signed", "expired"] as const)(
  "a strict client turns a %s certificate down",
  async (manner) => {
    const [client] = await meet(offersTls(manner));
    await client.reply();
    await client.ask("STARTTLS");
    await expect(client.startTls({ rejectUnauthorized: true })).rejects.toThrow();
  },
);

test.each(["garbled", "obsolete"] as const)("a %s handshake fails", async (manner) => {
  const [client] = await meet(offersTls(manner));
  await client.reply();
  expect(await client.ask("STARTTLS")).toMatch(/^220 /);
  await expect(client.startTls()).rejects.toThrow();
});

test("a silent handshake is never answered", async () => {
  const [client] = await meet(offersTls("silent"));
  await client.reply();
  await client.ask("STARTTLS");
  const outcome = client.startTls().then(
    () => "secure",
    () => "failed",
  );
  expect(await Promise.race([outcome, sleep(150, "waiting")])).toBe("waiting"); // timing: for what must not come
});

test("STARTTLS can be offered and then not be had, with the plain talk going on", async () => {
  const [client] = await meet(failsToStartTls);
  await client.reply();
  expect(await client.ask("EHLO p.example")).toContain("STARTTLS");
  expect(await client.ask("STARTTLS")).toMatch(/^454 /);
  expect(await client.ask("MAIL FROM:<a@b.example>")).toMatch(/^250 /);
});

test("how TLS goes and that it is required compose", async () => {
  const [client] = await meet([offersTls("expired"), requiresTls]);
  await client.reply();
  await client.ask("STARTTLS");
  const { client: secure, expires } = await client.startTls();
  expect(expires).toContain("2002");
  await secure.ask("EHLO p.example");
  expect(await secure.ask("MAIL FROM:<a@b.example>")).toMatch(/^250 /);
});
