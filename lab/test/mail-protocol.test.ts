/** Protocol of the lab's servers: command order, EHLO, pipelining, SMTPUTF8. */
import { expect, test } from "vitest";
import { breaksWhenPipelined, noEhlo, noPipelining, noSmtpUtf8, polite } from "../src/mail/index.ts";
import { connectTo, rcpt } from "./mail-setup.ts";

test("an ordinary server accepts its users, rejects other recipients and does not relay", async () => {
  const [client, server] = await connectTo(polite);
  expect(await client.reply()).toBe("220 mx.lab.example ESMTP Postfix");
  expect(await client.command("EHLO prober.example")).toMatch(/^250-mx\.lab\.example\n250-PIPELINING\n/);
  expect(await client.command("MAIL FROM:<probe@prober.example>")).toBe("250 2.1.0 Ok");
  expect(await client.command(rcpt("ann"))).toBe("250 2.1.5 Ok");
  expect(await client.command(rcpt("ANN"))).toBe("250 2.1.5 Ok");
  expect(await client.command(rcpt("eve"))).toMatch(/^550 5\.1\.1 <eve@lab\.example>: .*User unknown/);
  expect(await client.command(rcpt("ann@elsewhere.example"))).toMatch(/^554 5\.7\.1 .*Relay access denied/);
  expect(await client.command("RSET")).toBe("250 2.0.0 Ok");
  expect(await client.command("QUIT")).toBe("221 2.0.0 Bye");
  expect(await client.reply()).toBe("closed");

  expect(server.truth("ann@lab.example")).toBe("exists");
  expect(server.truth("eve@lab.example")).toBe("does_not_exist");
  expect(server.truth("ann@elsewhere.example")).toBeUndefined();
});

test("invalid commands and bad sequences are rejected like in Postfix", async () => {
  const [client] = await connectTo(polite);
  await client.reply();
  expect(await client.command("MAIL FROM:<a@b.example>")).toMatch(/^503 /);
  expect(await client.command("EHLO")).toMatch(/^501 /);
  expect(await client.command("HELO prober.example")).toBe("250 mx.lab.example");
  expect(await client.command(rcpt("ann"))).toMatch(/^503 /);
  expect(await client.command("MAIL FROM: a@b.example")).toMatch(/^501 /);
  expect(await client.command("MAIL FROM:<>")).toMatch(/^250 /);
  expect(await client.command("MAIL FROM:<>")).toMatch(/^503 /);
  expect(await client.command("RCPT TO:<nobody>")).toMatch(/^501 /);
  expect(await client.command("STARTTLS")).toMatch(/^502 /);
  expect(await client.command("toString")).toMatch(/^500 /);
  expect(await client.command("x".repeat(5_000))).toBe("500 5.5.2 Error: line too long");
  expect(await client.command("DATA")).toMatch(/^554 5\.5\.1 /);
  await client.command(rcpt("ann"));
  expect(await client.command("DATA")).toMatch(/^554 5\.7\.1 .*accepts no messages/);
});

test("a server without EHLO supports HELO", async () => {
  const [client] = await connectTo(noEhlo);
  await client.reply();
  expect(await client.command("EHLO p.example")).toMatch(/^500 /);
  expect(await client.command("MAIL FROM:<a@b.example>")).toMatch(/^503 /);
  expect(await client.command("HELO p.example")).toMatch(/^250 /);
  expect(await client.command("MAIL FROM:<a@b.example>")).toMatch(/^250 /);
});

test("pipelined commands are all answered, in order, and counted", async () => {
  const [client, server] = await connectTo(polite);
  await client.reply();
  await client.command("EHLO p.example");
  client.send(`MAIL FROM:<a@b.example>\r\n${rcpt("ann")}\r\n${rcpt("eve")}\r\n${rcpt("bob")}\r\n`);
  const codes = [];
  for (let index = 0; index < 4; index += 1) codes.push((await client.reply()).slice(0, 3));
  expect(codes).toEqual(["250", "250", "550", "250"]);
  expect(server.counts.earlyCommands).toBe(3);
});

test("a server without pipelining does not offer it", async () => {
  const [client] = await connectTo(noPipelining);
  expect(await client.enter()).not.toContain("PIPELINING");
});

test("a server that breaks when pipelined closes with an error, or ignores early commands", async () => {
  const [closing] = await connectTo(breaksWhenPipelined());
  await closing.reply();
  closing.send("EHLO p.example\r\nRSET\r\n");
  expect(await closing.reply()).toContain("PIPELINING");
  expect(await closing.reply()).toBe("554 SMTP synchronization error");
  expect(await closing.reply()).toBe("closed");

  const [ignoring] = await connectTo(breaksWhenPipelined({ by: "losing" }));
  await ignoring.reply();
  ignoring.send("EHLO p.example\r\nVRFY ann\r\n");
  expect(await ignoring.reply()).toMatch(/^250-/);
  expect(await ignoring.command("RSET")).toBe("250 2.0.0 Ok");
});

test("a non-ASCII address needs SMTPUTF8, which not every server supports", async () => {
  const [modern] = await connectTo(polite, { users: ["jörg"] });
  expect(await modern.enter()).toContain("SMTPUTF8");
  expect(await modern.command(rcpt("jörg"))).toMatch(/^553 5\.6\.7 /);
  await modern.command("RSET");
  expect(await modern.command("MAIL FROM:<a@b.example> SMTPUTF8")).toMatch(/^250 /);
  expect(await modern.command(rcpt("jörg"))).toMatch(/^250 /);

  const [old] = await connectTo(noSmtpUtf8);
  expect(await old.enter()).not.toContain("SMTPUTF8");
  await old.command("RSET");
  expect(await old.command("MAIL FROM:<a@b.example> SMTPUTF8")).toMatch(/^555 /);
});
