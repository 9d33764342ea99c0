/** The lab's rude and broken servers, each over a real socket and bounded in time. */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { binaryGarbage, endlessBanner, endlessLine, hangsUp, hugeLines } from "../src/mail/index.ts";
import { meet } from "./mail-meeting.ts";
import { watchWaits } from "./waits.ts";

test.each(["politely", "abruptly"] as const)(
  "a server may hang up %s before it has said a word",
  async (manner) => {
    const [client] = await meet(hangsUp({ after: "connect", manner }));
    expect(await client.reply()).toBe("closed");
  },
);

test("a server may hang up after its banner", async () => {
  const [client, server] = await meet(hangsUp({ after: "banner" }));
  expect(await client.reply()).toMatch(/^220 /);
  expect(await client.reply()).toBe("closed");
  client.close();
  await expect.poll(() => server.counts.openConnections).toBe(0);
});

test("a server may hang up after EHLO, after MAIL or after so many recipients", async () => {
  const [afterEhlo] = await meet(hangsUp({ after: "ehlo" }));
  await afterEhlo.reply();
  expect(await afterEhlo.ask("EHLO p.example")).toMatch(/^250/);
  expect(await afterEhlo.reply()).toBe("closed");

  const [afterMail] = await meet(hangsUp({ after: "mail", manner: "abruptly" }));
  await afterMail.enter();
  expect(await afterMail.reply()).toBe("closed");

  const [afterTwo] = await meet(hangsUp({ after: { recipients: 2 } }));
  await afterTwo.enter();
  expect(await afterTwo.ask("RCPT TO:<ann@lab.example>")).toMatch(/^250/);
  expect(await afterTwo.ask("RCPT TO:<eve@lab.example>")).toMatch(/^550/);
  expect(await afterTwo.reply()).toBe("closed");
});

test.each([
  ["banner", endlessBanner],
  ["line", endlessLine({ at: "banner" })],
] as const)("an endless %s keeps coming and never is a reply", async (_, temper) => {
  const [client, server] = await meet(temper);
  await expect.poll(() => client.unread().length).toBeGreaterThan(0);
  const early = client.unread().length;
  await expect.poll(() => client.unread().length).toBeGreaterThan(early + 100_000);
  client.close();
  await expect.poll(() => server.counts.openConnections).toBe(0);
});

test("a huge line arrives whole", async () => {
  const [client] = await meet(hugeLines({ at: "ehlo", lineBytes: 1_000_000 }));
  await client.reply();
  expect((await client.ask("EHLO p.example")).length).toBe(1_000_004);
});

test("binary garbage holds every byte value, and the server goes on listening", async () => {
  const [client, server] = await meet(binaryGarbage({ at: "ehlo" }));
  await client.reply();
  client.send("EHLO p.example\r\n");
  await expect.poll(() => client.unread().length).toBe(4_096);
  expect(new Set(client.unread()).size).toBe(256);
  client.send("NOOP\r\n");
  await expect.poll(() => server.heard).toEqual(["EHLO p.example", "NOOP"]);
});

test("a client that floods is answered at the server's pace", async () => {
  const waits = watchWaits();
  const [client, server] = await meet({ on: { command: () => ({ delayMs: 20 }) } });
  await client.reply();
  client.send("NOOP\r\n".repeat(200_000));
  await expect.poll(() => server.counts.commands.NOOP).toBeGreaterThan(5);
  expect(waits.filter((ms) => ms === 20)).toHaveLength(server.counts.commands.NOOP!); // one wait for each
});

test("a client that never fetches its replies is not answered without end", async () => {
  const [, server] = await meet({});
  const deaf = connect({ host: server.address, port: server.port }).pause();
  onTestFinished(() => void deaf.destroy());
  deaf.on("error", () => {});
  const lines = 50_000;
  deaf.write(`VRFY ${"x".repeat(1_000)}\r\n`.repeat(lines));
  await expect.poll(() => server.counts.commands.VRFY).toBeGreaterThan(0);
  let before = 0;
  while (before !== (server.counts.commands.VRFY ?? 0)) {
    before = server.counts.commands.VRFY ?? 0;
    await sleep(150); // timing: until no more comes
  }
  expect(before).toBeLessThan(lines / 2);

  deaf.resume();
  await expect.poll(() => server.counts.commands.VRFY).toBe(lines);
});
