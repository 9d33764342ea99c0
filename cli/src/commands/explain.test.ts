import { Readable, Writable } from "node:stream";
import { Command } from "commander";
import { expect, test } from "vitest";
import { addExplainCommand, explainLines } from "./explain.ts";

test("every line gets one line, in order, and a bad line does not stop the rest", async () => {
  const answers = await answersTo([
    JSON.stringify({ stage: "rcpt", reply: "550 5.1.1 User unknown" }),
    "not json",
    JSON.stringify({ stage: "banner", reply: "554 5.7.1 Blocked" }),
    JSON.stringify({ stage: "nowhere", reply: "250 OK" }),
    JSON.stringify({ stage: "rcpt" }),
    "",
    JSON.stringify({ reply: "250 2.1.5 OK" }),
  ]);

  expect(answers).toMatchObject([
    { meaning: "mailbox_not_found", mailbox: "does_not_exist" },
    { error: expect.stringContaining("JSON") },
    { meaning: "ip_blocked", mailbox: "unknown" },
    { error: expect.stringContaining("stage") },
    { error: expect.stringContaining("reply") },
    { error: expect.stringContaining("JSON") },
    { meaning: "accepted", mailbox: "exists" },
  ]);
});

test("the host of the mail server tells two identical sentences apart", async () => {
  const reply = "550 5.4.1 Recipient address rejected: Access denied";
  const answers = await answersTo([
    JSON.stringify({ reply, mx: "example-com.mail.protection.outlook.com" }),
    JSON.stringify({ reply, mx: "mx.example.com" }),
  ]);

  expect(answers).toMatchObject([
    { meaning: "mailbox_not_found", mailbox: "does_not_exist" },
    { meaning: "policy_rejected", mailbox: "unknown" },
  ]);
});

test("the time a server asks for is passed on", async () => {
  const [answer] = await answersTo([JSON.stringify({ reply: "450 4.2.0 Greylisted for 300 seconds" })]);

  expect(answer).toMatchObject({ meaning: "greylisted", retry_after: 300 });
});

test("a word that every object knows is no stage, and a line break of another kind is no line end", async () => {
  const answers = await answersTo([
    JSON.stringify({ stage: "constructor", reply: "550 no" }),
    JSON.stringify({ stage: "__proto__", reply: "550 no" }),
    '{"reply": "550 5.1.1 User\u2028unknown"}',
    JSON.stringify({ stage: "HELO", reply: "250 hello" }),
  ]);

  expect(answers).toMatchObject([
    { error: expect.stringContaining("stage") },
    { error: expect.stringContaining("stage") },
    { meaning: "mailbox_not_found" },
    { meaning: "accepted" },
  ]);
});

test("a stage that does not exist is bad usage", async () => {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addExplainCommand(program);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });

  await expect(
    program.parseAsync(["node", "mailvet", "explain", "--stage", "data", "250 OK"]),
  ).rejects.toMatchObject({
    code: "commander.invalidArgument",
  });
});

async function answersTo(lines: string[]): Promise<unknown[]> {
  let written = "";
  const output = new Writable({
    write(chunk, _encoding, done) {
      written += chunk;
      done();
    },
  });
  await explainLines(Readable.from([`${lines.join("\n")}\n`]), output);
  return written
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
