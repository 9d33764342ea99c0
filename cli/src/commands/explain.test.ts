import { Readable, Writable } from "node:stream";
import { Command } from "commander";
import { expect, test } from "vitest";
import { addExplainCommand, explainLines } from "./explain.ts";

test("every input line gets one output line, in order, and an invalid line does not stop the rest", async () => {
  const results = await resultsFor([
    JSON.stringify({ stage: "rcpt", reply: "550 5.1.1 User unknown" }),
    "not json",
    JSON.stringify({ stage: "banner", reply: "554 5.7.1 Blocked" }),
    JSON.stringify({ stage: "nowhere", reply: "250 OK" }),
    JSON.stringify({ stage: "rcpt" }),
    "",
    JSON.stringify({ reply: "250 2.1.5 OK" }),
  ]);

  expect(results).toMatchObject([
    { meaning: "mailbox_not_found", mailbox: "does_not_exist" },
    { error: expect.stringContaining("JSON") },
    { meaning: "ip_blocked", mailbox: "unknown" },
    { error: expect.stringContaining("stage") },
    { error: expect.stringContaining("reply") },
    { error: expect.stringContaining("JSON") },
    { meaning: "accepted", mailbox: "exists" },
  ]);
});

test("the mail server host decides the meaning of an ambiguous reply", async () => {
  const reply = "550 5.4.1 Recipient address rejected: Access denied";
  const results = await resultsFor([
    JSON.stringify({ reply, mx: "example-com.mail.protection.outlook.com" }),
    JSON.stringify({ reply, mx: "mx.example.com" }),
  ]);

  expect(results).toMatchObject([
    { meaning: "mailbox_not_found", mailbox: "does_not_exist" },
    { meaning: "policy_rejected", mailbox: "unknown" },
  ]);
});

test("the retry delay in a reply is reported", async () => {
  const [result] = await resultsFor([JSON.stringify({ reply: "450 4.2.0 Greylisted for 300 seconds" })]);

  expect(result).toMatchObject({ meaning: "greylisted", retry_after: 300 });
});

test("names of object properties are not stages, and U+2028 does not end a line", async () => {
  const results = await resultsFor([
    JSON.stringify({ stage: "constructor", reply: "550 no" }),
    JSON.stringify({ stage: "__proto__", reply: "550 no" }),
    '{"reply": "550 5.1.1 User\u2028unknown"}',
    JSON.stringify({ stage: "HELO", reply: "250 hello" }),
  ]);

  expect(results).toMatchObject([
    { error: expect.stringContaining("stage") },
    { error: expect.stringContaining("stage") },
    { meaning: "mailbox_not_found" },
    { meaning: "accepted" },
  ]);
});

test("an unknown stage is rejected", async () => {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addExplainCommand(program);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });

  await expect(
    program.parseAsync(["node", "mailvet", "explain", "--stage", "data", "250 OK"]),
  ).rejects.toMatchObject({
    code: "commander.invalidArgument",
  });
});

async function resultsFor(lines: string[]): Promise<unknown[]> {
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
