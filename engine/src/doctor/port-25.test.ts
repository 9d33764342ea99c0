import { expect, test } from "vitest";
import { judgePort25 } from "./port-25.ts";
import type { ProviderProbe } from "./provider-probe.ts";

const DIRECT = { port: 25, hasProxy: false };
const greeted = (provider: string, bannerName = `mx.${provider}`): ProviderProbe => ({
  provider,
  kind: "greeted",
  bannerName,
});
const silent = (provider: string): ProviderProbe => ({ provider, kind: "silent" });
const unreachable = (provider: string): ProviderProbe => ({
  provider,
  kind: "unreachable",
  why: "ECONNREFUSED",
});
const mute = (provider: string): ProviderProbe => ({ provider, kind: "mute" });
const unrouted = (provider: string): ProviderProbe => ({
  provider,
  kind: "no_route",
  why: "dns_error: timeout",
});
const blockedBy = (provider: string): ProviderProbe => ({
  provider,
  kind: "refused",
  code: 554,
  words: "no",
});

test.each([
  ["silence everywhere", [silent("a.test"), silent("b.test")], DIRECT, "bad", /SOCKS_PROXY/],
  [
    "silence behind a proxy",
    [silent("a.test")],
    { port: 25, hasProxy: true },
    "bad",
    /the proxy in SOCKS_PROXY/,
  ],
  ["silence on another port", [silent("a.test")], { port: 2525, hasProxy: false }, "bad", /Remove SMTP_PORT/],
  [
    "refused connections",
    [unreachable("a.test"), silent("b.test")],
    DIRECT,
    "bad",
    /firewall of this machine/,
  ],
  ["calls taken by something mute", [mute("a.test"), mute("b.test")], DIRECT, "bad", /takes the calls/],
  ["no mail server to try", [unrouted("a.test")], DIRECT, "unknown", /name servers right first/],
  ["one that DNS hides", [greeted("a.test"), unrouted("b.test")], DIRECT, "warning", /do not know all/],
  ["one that stays away", [greeted("a.test"), silent("b.test")], DIRECT, "warning", /Try again later/],
] as const)("%s", (_, visits, way, outcome, advice) => {
  const finding = judgePort25(visits, way);
  expect(finding.outcome).toBe(outcome);
  expect(finding.advice).toMatch(advice);
});

test("a refusal is an answer too: the port is open", () => {
  expect(judgePort25([greeted("a.test"), blockedBy("b.test")], DIRECT)).toEqual({
    name: "port 25",
    outcome: "good",
    found: "Open: a.test, b.test answered.",
  });
});

test("three providers that greet with one name are one impostor", () => {
  const visits = ["a.test", "b.test", "c.test"].map((provider) => greeted(provider, "filter.isp.test"));
  expect(judgePort25(visits, DIRECT)).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("greet as filter.isp.test"),
  });
  expect(judgePort25(visits.slice(0, 2), DIRECT).outcome).toBe("good"); // two may share a house
  expect(judgePort25([...visits, greeted("d.test")], DIRECT).outcome).toBe("good");
});
