/** mailvet domain with the local engine and with a scripted service. */
import type { DomainReport } from "@mailvet/contract";
import { mailDomain, openLab } from "@mailvet/lab";
import { expect, test } from "vitest";
import { json, openScriptedService, problem } from "../../sdk/test/scripted-service.ts";
import { jsonLines, mailvet } from "./command.ts";

test("the report is printed as a card and as JSON, locally and from a service", async () => {
  await using lab = await openLab({
    "shop.test": mailDomain({ users: ["postmaster"], records: { TXT: ["v=spf1 mx -all"] } }),
  });
  const env = {
    ...lab.env,
  };
  const card = await mailvet(["domain", "shop.test"], { env });
  expect(card).toMatchObject({ code: 0, stderr: "" });
  expect(card.stdout).toMatch(/^shop\.test\n {2}mail route +mx\n +10 mx\.shop\.test \(127\.[\d.]+\)\n/);
  expect(card.stdout).toMatch(
    /\n {2}catch-all +no, 95 % confidence\n {2}server reply +mx\.shop\.test, for a made-up mailbox: 550/,
  );
  expect(card.stdout).toMatch(/\n {2}SPF +shop\.test\n +v=spf1 mx -all\n {2}DMARC +none\n/);

  const { stdout } = await mailvet(["domain", "shop.test", "--json"], { env });
  const [report] = jsonLines<DomainReport>(stdout);
  expect(report).toMatchObject({ domain: "shop.test", metadata: { plan_tier: "local" } });

  await using service = await openScriptedService(json(report));
  const remote = await mailvet([
    "domain",
    "shop.test",
    "--service",
    service.url,
    "--api-key",
    "mv_live_x",
    "--json",
  ]);
  expect(jsonLines(remote.stdout)).toEqual([report]);
  expect(service.requests[0]).toMatchObject({ method: "GET", url: "/api/v1/domains/shop.test" });
});

test("the messages about an address and about nothing speak of a domain", async () => {
  const address = await mailvet(["domain", "ann@shop.io"]);
  expect(address).toMatchObject({ code: 2, stderr: "mailvet: This is an address; enter only its domain.\n" });
  for (const env of [{}, { MAILVET_SERVICE: "http://127.0.0.1:9", MAILVET_API_KEY: "mv_live_x" }]) {
    const nothing = await mailvet(["domain", ""], { env });
    expect(nothing).toMatchObject({ code: 2, stderr: "mailvet: The domain is missing.\n" });
  }
});

test("a name that is not a public domain ends with exit code 2 and a message", async () => {
  for (const name of ["shop", "ann@shop.io", "shop.invalid"]) {
    const { code, stdout, stderr } = await mailvet(["domain", name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^mailvet: \w/);
  }
  await using service = await openScriptedService(problem(422, "validation_failed"));
  const env = { MAILVET_SERVICE: service.url, MAILVET_API_KEY: "mv_live_secret" };
  expect(await mailvet(["domain", "shop"], { env })).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "mailvet: Says why.\n",
  });
});
