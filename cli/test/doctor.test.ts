/** mailvet doctor as a program: its output and exit codes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Diagnosis } from "@mailvet/engine";
import { gmx, google, type MailWorld, mailDomain, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
import { json, openScriptedService, problem } from "../../sdk/test/scripted-service.ts";
import { jsonLines, mailvet, type Run } from "./command.ts";

const OURS = "127.0.0.77";

/** Imitations of the providers that the doctor connects to, and a correctly configured sender. */
const WORLD: MailWorld = {
  "gmail.com": mailDomain({ temper: google }),
  "gmx.net": mailDomain({ temper: gmx }),
  "outlook.com": mailDomain(),
  "yahoo.com": mailDomain(),
  "icloud.com": mailDomain(),
  "probe.firm.test": { A: [OURS] },
  "77.0.0.127.in-addr.arpa": { PTR: ["probe.firm.test"] },
  "firm.test": mailDomain({ records: { TXT: [`v=spf1 ip4:${OURS} -all`] } }),
  "_dmarc.firm.test": { TXT: ["v=DMARC1; p=reject"] },
};

async function doctorIn(world: MailWorld, ...args: string[]): Promise<Run> {
  await using lab = await openLab(world);
  const env = {
    ...lab.env,
    EHLO_NAME: "probe.firm.test",
    MAIL_FROM: "ask@firm.test",
    SOURCE_ADDRESS: OURS,
  };
  return await mailvet(["doctor", ...args], { env });
}

test("a correct setup passes every check and exits with 0", async () => {
  const { code, stdout, stderr } = await doctorIn(WORLD);
  expect(stderr).toBe("");
  expect(stdout).toContain(
    "✔ port 25                Open: gmail.com, outlook.com, yahoo.com, icloud.com, gmx.net answered.",
  );
  expect(stdout).toContain(`✔ our address            ${OURS}, as seen by gmail.com.`);
  expect(stdout).toMatch(/^\? zen\.spamhaus\.org/m); // the lab has no such list
  const isAcceptable = /^([✔?]|! name servers .* slow) /; // unknown or slow results are acceptable in the lab
  const items = stdout.split("\n").filter((line) => /^\S/.test(line) && !line.includes("reference lists"));
  expect(items.filter((item) => !isAcceptable.test(item))).toEqual([]); // the packaged lists age
  expect(code).toBe(0);
});

test("a failed check is shown with advice and exits with 1", async () => {
  const { code, stdout } = await doctorIn({ ...WORLD, "77.0.0.127.in-addr.arpa": {} });
  expect(stdout).toMatch(
    /^✘ reverse DNS +127\.0\.0\.77 has no PTR record\.\n +→ .*PTR record of .* to probe\.firm\.test/m,
  );
  expect(code).toBe(1);
});

test("--json prints one finding per line", async () => {
  const { code, stdout } = await doctorIn({ ...WORLD, "*.com": { A: ["127.0.0.9"] } }, "--json");
  const findings = jsonLines<Diagnosis>(stdout);
  expect(findings.length).toBeGreaterThan(10);
  expect(findings[0]).toEqual({
    name: "name servers",
    outcome: "bad",
    found: expect.any(String),
    advice: expect.stringContaining("DNS_SERVERS"),
  });
  expect(code).toBe(1);
});

test("--service shows the findings of a service, with an outdated PostgreSQL", async () => {
  const found = "PostgreSQL 17.5 is 2 security releases behind; 17.7 is current as of 2025-11-13.";
  const release = {
    name: "PostgreSQL release",
    identity: null,
    outcome: "warning",
    found,
    advice: "Install it.",
  };
  const port = { name: "port 25", identity: "one", outcome: "bad", found: "Blocked.", advice: null };
  const report = { checked_at: "2026-01-01T00:00:00.000Z", findings: [port, release] };
  await using service = await openScriptedService(json(report));
  const env = { MAILVET_API_KEY: "mv_op_secret", MAILVET_SERVICE: "http://127.0.0.1:1" };
  const args = ["doctor", "--service", service.url];
  const [text, lines] = await Promise.all([mailvet(args, { env }), mailvet([...args, "--json"], { env })]);
  expect(text).toMatchObject({ code: 1, place: `checking at ${service.url}` });
  expect(text.stdout).toContain(
    `\none\n✘ port 25                Blocked.\n\n! PostgreSQL release     ${found}\n`,
  );
  expect(jsonLines(lines.stdout)[1]).toEqual({
    name: release.name,
    outcome: "warning",
    found,
    advice: "Install it.",
  });
  const [asked] = service.requests;
  expect([asked?.method, asked?.url, asked?.headers["x-api-key"]]).toEqual([
    "POST",
    "/api/v1/operator/system/doctor",
    "mv_op_secret",
  ]);
});

test("--service without an operator key says which key is needed", async () => {
  await using service = await openScriptedService(problem(403, "operator_only"));
  const env = { MAILVET_API_KEY: "mv_live_secret" };
  const [ordinary, none] = await Promise.all([
    mailvet(["doctor", "--service", service.url], { env }),
    mailvet(["doctor", "--service", service.url]),
  ]);
  expect(ordinary).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("operator key") });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("MAILVET_API_KEY") });
});

test("control characters in a server reply are escaped", async () => {
  const temper = { replies: { banner: "554 \u001b[2Jyou are blocked" } };
  const { stdout } = await doctorIn({ ...WORLD, "yahoo.com": mailDomain({ temper }) });
  expect(stdout).toContain("you are blocked");
  expect(stdout).not.toContain("\u001b");
});

test("an unknown option or an invalid setting is rejected", async () => {
  const [option, setting] = await Promise.all([
    mailvet(["doctor", "--cure"]),
    mailvet(["doctor"], { env: { SMTP_PORT: "many" } }),
  ]);
  expect(option).toMatchObject({ code: 2, stderr: expect.stringContaining("--cure") });
  expect(setting).toMatchObject({ code: 2, stderr: expect.stringContaining("SMTP_PORT") });
});

test("each identity of EGRESS_FILE is examined under its own heading, from its own address", async () => {
  await using lab = await openLab({ ...WORLD, "other.firm.test": { A: ["127.0.0.78"] } });
  const folder = mkdtempSync(join(tmpdir(), "mailvet-doctor-"));
  const path = join(folder, "egress.json");
  const good = {
    name: "good",
    ehlo_name: "probe.firm.test",
    mail_from: "ask@firm.test",
    source_address: OURS,
  };
  const bad = { ...good, name: "bad", ehlo_name: "other.firm.test", source_address: "127.0.0.78" };
  writeFileSync(path, JSON.stringify({ identities: [good, bad] }));
  const env = {
    ...lab.env,
    EGRESS_FILE: path,
  };
  const { code, stdout } = await mailvet(["doctor"], { env });
  const [, ofGood = "", ofBad = ""] = stdout.split(/^(?:good|bad)$/m);
  expect(ofGood).toContain(
    `✔ identity               ${OURS} as probe.firm.test, MAIL FROM ask@firm.test; share 1.`,
  );
  expect(ofGood).toMatch(/^✔ reverse DNS/m);
  expect(ofBad).toMatch(/^✘ reverse DNS +127\.0\.0\.78 has no PTR record\./m);
  expect(code).toBe(1);
  const lines = jsonLines<Diagnosis>((await mailvet(["doctor", "--json"], { env })).stdout);
  expect(lines.find(({ name, identity }) => name === "SPF" && identity === "good")?.outcome).toBe("good");
  rmSync(folder, { recursive: true });
});
