/** STARTTLS of the lab's servers: successful and failing handshakes. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { failsToStartTls, offersTls, requiresTls } from "../src/mail/index.ts";
import { connectTo, rcpt } from "./mail-setup.ts";

test("a server that requires TLS rejects MAIL before STARTTLS and accepts it after", async () => {
  const [client] = await connectTo(requiresTls);
  await client.reply();
  expect(await client.command("EHLO p.example")).toContain("STARTTLS");
  expect(await client.command("MAIL FROM:<a@b.example>")).toMatch(/^530 5\.7\.0 /);
  expect(await client.command("STARTTLS")).toMatch(/^220 /);
  const { client: secure, expires } = await client.startTls();
  expect(expires).toContain("2056");
  expect(await secure.command("MAIL FROM:<a@b.example>")).toMatch(/^503 /); // the session restarts after STARTTLS
  expect(await secure.command("EHLO p.example")).not.toContain("STARTTLS");
  expect(await secure.command("MAIL FROM:<a@b.example>")).toMatch(/^250 /);
  expect(await secure.command(rcpt("ann"))).toMatch(/^250 /);
  expect(await secure.command("QUIT")).toMatch(/^221 /);
});

test("commands pipelined after STARTTLS are discarded", async () => {
  const [client, server] = await connectTo(offersTls());
  await client.reply();
  await client.command("EHLO p.example");
  client.send("STARTTLS\r\nEHLO intruder.example\r\n");
  expect(await client.reply()).toMatch(/^220 /);
  const { client: secure } = await client.startTls();
  expect(await secure.command("MAIL FROM:<a@b.example>")).toMatch(/^503 /);
  expect(server.received).not.toContain("EHLO intruder.example");
});

test("a server can have an expired certificate", async () => {
  const [client] = await connectTo(offersTls("expired"));
  await client.reply();
  await client.command("STARTTLS");
  expect((await client.startTls()).expires).toContain("2002");
});

test.each(["self_signed", "expired"] as const)("a strict client rejects a %s certificate", async (mode) => {
  const [client] = await connectTo(offersTls(mode));
  await client.reply();
  await client.command("STARTTLS");
  await expect(client.startTls({ rejectUnauthorized: true })).rejects.toThrow();
});

test.each(["garbled", "obsolete"] as const)("a %s handshake fails", async (mode) => {
  const [client] = await connectTo(offersTls(mode));
  await client.reply();
  expect(await client.command("STARTTLS")).toMatch(/^220 /);
  await expect(client.startTls()).rejects.toThrow();
});

test("a silent handshake is never answered", async () => {
  const [client] = await connectTo(offersTls("silent"));
  await client.reply();
  await client.command("STARTTLS");
  const outcome = client.startTls().then(
    () => "secure",
    () => "failed",
  );
  expect(await Promise.race([outcome, sleep(150, "waiting")])).toBe("waiting"); // timing: for what must not come
});

test("STARTTLS can be offered and fail, and the session continues in plaintext", async () => {
  const [client] = await connectTo(failsToStartTls);
  await client.reply();
  expect(await client.command("EHLO p.example")).toContain("STARTTLS");
  expect(await client.command("STARTTLS")).toMatch(/^454 /);
  expect(await client.command("MAIL FROM:<a@b.example>")).toMatch(/^250 /);
});

test("offersTls and requiresTls compose", async () => {
  const [client] = await connectTo([offersTls("expired"), requiresTls]);
  await client.reply();
  await client.command("STARTTLS");
  const { client: secure, expires } = await client.startTls();
  expect(expires).toContain("2002");
  await secure.command("EHLO p.example");
  expect(await secure.command("MAIL FROM:<a@b.example>")).toMatch(/^250 /);
});
