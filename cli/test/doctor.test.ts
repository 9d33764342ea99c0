/** mailvet doctor as a program: its output and exit codes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Diagnosis } from "@mailvet/engine";
import { gmx, google, type MailWorld, mailDomain, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
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
