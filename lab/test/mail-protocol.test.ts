/** The manners of the lab's servers: order of commands, EHLO, pipelining, SMTPUTF8. */
import { expect, test } from "vitest";
import { breaksWhenPipelined, noEhlo, noPipelining, noSmtpUtf8, polite } from "../src/mail/index.ts";
import { meet, rcpt } from "./mail-meeting.ts";

test("a polite server greets, knows its users, refuses the rest and does not relay", async () => {
  const [client, server] = await meet(polite);
  expect(await client.reply()).toBe("220 mx.lab.example ESMTP Postfix");
  expect(await client.ask("EHLO prober.example")).toMatch(/^250-mx\.lab\.example\n250-PIPELINING\n/);
  expect(await client.ask("MAIL FROM:<probe@prober.example>")).toBe("250 2.1.0 Ok");
  expect(await client.ask(rcpt("ann"))).toBe("250 2.1.5 Ok");
  expect(await client.ask(rcpt("ANN"))).toBe("250 2.1.5 Ok");
  expect(await client.ask(rcpt("eve"))).toMatch(/^550 5\.1\.1 <eve@lab\.example>: .*User unknown/);
  expect(await client.ask(rcpt("ann@elsewhere.example"))).toMatch(/^554 5\.7\.1 .*Relay access denied/);
  expect(await client.ask("RSET")).toBe("250 2.0.0 Ok");
  expect(await client.ask("QUIT")).toBe("221 2.0.0 Bye");
  expect(await client.reply()).toBe("closed");

  expect(server.truth("ann@lab.example")).toBe("exists");
  expect(server.truth("eve@lab.example")).toBe("does_not_exist");
  expect(server.truth("ann@elsewhere.example")).toBeUndefined();
});

test("commands out of order or without sense are refused as Postfix would", async () => {
  const [client] = await meet(polite);
  await client.reply();
  expect(await client.ask("MAIL FROM:<a@b.example>")).toMatch(/^503 /);
  expect(await client.ask("EHLO")).toMatch(/^501 /);
  expect(await client.ask("HELO prober.example")).toBe("250 mx.lab.example");
  expect(await client.ask(rcpt("ann"))).toMatch(/^503 /);
  expect(await client.ask("MAIL FROM: a@b.example")).toMatch(/^501 /);
  expect(await client.ask("MAIL FROM:<>")).toMatch(/^250 /);
  expect(await client.ask("MAIL FROM:<>")).toMatch(/^503 /);
  expect(await client.ask("RCPT TO:<nobody>")).toMatch(/^501 /);
  expect(await client.ask("STARTTLS")).toMatch(/^502 /);
  expect(await client.ask("toString")).toMatch(/^500 /);
  expect(await client.ask("x".repeat(5_000))).toBe("500 5.5.2 Error: line too long");
  expect(await client.ask("DATA")).toMatch(/^554 5\.5\.1 /);
  await client.ask(rcpt("ann"));
  expect(await client.ask("DATA")).toMatch(/^554 5\.7\.1 .*takes no messages/);
});

test("a server without EHLO knows HELO", async () => {
  const [client] = await meet(noEhlo);
  await client.reply();
  expect(await client.ask("EHLO p.example")).toMatch(/^500 /);
  expect(await client.ask("MAIL FROM:<a@b.example>")).toMatch(/^503 /);
  expect(await client.ask("HELO p.example")).toMatch(/^250 /);
  expect(await client.ask("MAIL FROM:<a@b.example>")).toMatch(/^250 /);
});

test("pipelined commands are all answered, in order, and counted", async () => {
  const [client, server] = await meet(polite);
  await client.reply();
  await client.ask("EHLO p.example");
  client.send(`MAIL FROM:<a@b.example>\r\n${rcpt("ann")}\r\n${rcpt("eve")}\r\n${rcpt("bob")}\r\n`);
  const codes = [];
  for (let index = 0; index < 4; index += 1) codes.push((await client.reply()).slice(0, 3));
  expect(codes).toEqual(["250", "250", "550", "250"]);
  expect(server.counts.earlyCommands).toBe(3);
});

test("a server without pipelining does not offer it", async () => {
  const [client] = await meet(noPipelining);
  expect(await client.enter()).not.toContain("PIPELINING");
});

test("a server that breaks when pipelined complains and leaves, or loses what came early", async () => {
  const [complaining] = await meet(breaksWhenPipelined());
  await complaining.reply();
  complaining.send("EHLO p.example\r\nRSET\r\n");
  expect(await complaining.reply()).toContain("PIPELINING");
  expect(await complaining.reply()).toBe("554 SMTP synchronization error");
  expect(await complaining.reply()).toBe("closed");

  const [losing] = await meet(breaksWhenPipelined({ by: "losing" }));
  await losing.reply();
  losing.send("EHLO p.example\r\nVRFY ann\r\n");
  expect(await losing.reply()).toMatch(/^250-/);
  expect(await losing.ask("RSET")).toBe("250 2.0.0 Ok");
});

test("an address outside ASCII needs SMTPUTF8, which not every server has", async () => {
  const [modern] = await meet(polite, { users: ["jörg"] });
  expect(await modern.enter()).toContain("SMTPUTF8");
  expect(await modern.ask(rcpt("jörg"))).toMatch(/^553 5\.6\.7 /);
  await modern.ask("RSET");
  expect(await modern.ask("MAIL FROM:<a@b.example> SMTPUTF8")).toMatch(/^250 /);
  expect(await modern.ask(rcpt("jörg"))).toMatch(/^250 /);

  const [old] = await meet(noSmtpUtf8);
  expect(await old.enter()).not.toContain("SMTPUTF8");
  await old.ask("RSET");
  expect(await old.ask("MAIL FROM:<a@b.example> SMTPUTF8")).toMatch(/^555 /);
});
