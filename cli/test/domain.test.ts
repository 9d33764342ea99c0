/** Stories of mailvet domain: with the engine on this machine, and at a service that is played. */
import type { DomainReport } from "@mailvet/contract";
import { mailDomain, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
import { json, openScriptedService } from "../../sdk/test/scripted-service.ts";
import { jsonLines, mailvet } from "./command.ts";

test("with the engine here: a card, and the report as JSON, which a service is asked for alike", async () => {
  await using lab = await openLab({
    "shop.test": mailDomain({ users: ["postmaster"], records: { TXT: ["v=spf1 mx -all"] } }),
  });
  const env = {
    DNS_SERVERS: lab.nameServer,
    SMTP_PORT: String(lab.smtpPort),
    EGRESS_ALLOW: "127.0.0.0/8",
  };
  const card = await mailvet(["domain", "shop.test"], { env });
  expect(card).toMatchObject({ code: 0, stderr: "" });
  expect(card.stdout).toMatch(/^shop\.test\n {2}mail route +mx\n +10 mx\.shop\.test \(127\.[\d.]+\)\n/);
  expect(card.stdout).toMatch(
    /\n {2}catch-all +no, 95 % sure\n {2}server said +mx\.shop\.test, of a made-up name: 550/,
  );
  expect(card.stdout).toMatch(/\n {2}SPF +shop\.test\n +v=spf1 mx -all\n {2}DMARC +none\n/);

  const { stdout } = await mailvet(["domain", "shop.test", "--json"], { env });
  const [report] = jsonLines<DomainReport>(stdout);
  expect(report).toMatchObject({ domain: "shop.test", metadata: { plan_tier: "local" } });

  await using service = await openScriptedService(json(report));
  const there = await mailvet([
    "domain",
    "shop.test",
    "--service",
    service.url,
    "--api-key",
    "mv_live_x",
    "--json",
  ]);
  expect(jsonLines(there.stdout)).toEqual([report]);
  expect(service.heard[0]).toMatchObject({ method: "GET", url: "/api/v1/domains/shop.test" });
});

test("what is no public domain ends with exit code 2 and says why", async () => {
  for (const name of ["shop", "ann@shop.io", "shop.invalid"]) {
    const { code, stdout, stderr } = await mailvet(["domain", name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^mailvet: \w/);
  }
});
