/** Connections that mail hosts see from a long, mixed list, and those that a process may open. */
import type { ValidationResult } from "@mailvet/contract";
import { mapByDomain, readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import { type Lab, mailDomain, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
import { jsonLines, mailvet } from "./command.ts";

const HOSTS = 40;
const PER_HOST = 6;
const domains = Array.from({ length: HOSTS }, (_, i) => `d${i}.test`);
const users = Array.from({ length: PER_HOST }, (_, i) => `user${i}`);
/** The domains mixed: no two of the addresses in flight at a time would be of the same domain. */
const emails = users.flatMap((user) => domains.map((domain) => `${user}@${domain}`));

async function* list() {
  yield* emails;
}

const envOf = (lab: Lab) => ({
  ...lab.env,
  EHLO_NAME: "probe.test",
  MAIL_FROM: "probe@probe.test",
  PROBE_TIMEOUT_SECONDS: "600",
});

test("each host of a list that is longer than what is in flight sees one connection", async () => {
  await using lab = await openLab(
    Object.fromEntries(domains.map((domain) => [domain, mailDomain({ users })])),
  );
  const verifier = verifierFrom(readEngineSettings(settingsFrom(envOf(lab))));
  try {
    const options = { isOrdered: true, window: 1000, concurrency: 2 * PER_HOST, perDomain: PER_HOST };
    const results: string[] = [];
    const check = (email: string) => verifier.verify(email, "smtp");
    for await (const { email, mailbox } of mapByDomain(list(), String, options, check)) {
      expect(mailbox?.answer, email).toBe("accepted");
      results.push(email);
    }
    expect(results).toEqual(emails);
    const connections = domains.map((domain) => lab.counts(`mx.${domain}`).connections);
    expect(connections).toEqual(domains.map(() => 1));
  } finally {
    await verifier.close();
  }
});

test("a process that may open few files opens fewer connections, and checks every address", async () => {
  const many = Array.from({ length: 400 }, (_, i) => `d${i}.test`);
  await using lab = await openLab(
    Object.fromEntries(many.map((domain) => [domain, mailDomain({ users: ["ann"] })])),
  );
  const input = many.map((domain) => `ann@${domain}\n`).join("");
  const { stdout, stderr } = await mailvet(["check", "--json", "--file", "-"], {
    env: envOf(lab),
    input,
    setup: "ulimit -n 300",
  });
  expect(stderr).toBe("");
  const found = jsonLines<ValidationResult>(stdout);
  expect(found.map(({ email, status }) => `${email} ${status}`)).toEqual(
    many.map((domain) => `ann@${domain} valid`),
  );
});
