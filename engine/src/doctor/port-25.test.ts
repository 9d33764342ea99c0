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
  text: "no",
});

test.each([
  ["no answer anywhere", [silent("a.test"), silent("b.test")], DIRECT, "bad", /SOCKS_PROXY/],
  [
    "no answer through a proxy",
    [silent("a.test")],
    { port: 25, hasProxy: true },
    "bad",
    /the proxy in SOCKS_PROXY/,
  ],
  [
    "no answer on another port",
    [silent("a.test")],
    { port: 2525, hasProxy: false },
    "bad",
    /Remove SMTP_PORT/,
  ],
  [
    "refused connections",
    [unreachable("a.test"), silent("b.test")],
    DIRECT,
    "bad",
    /firewall of this machine/,
  ],
  ["connections without a banner", [mute("a.test"), mute("b.test")], DIRECT, "bad", /seems to intercept/],
  ["no mail server resolved", [unrouted("a.test")], DIRECT, "unknown", /Fix the DNS servers first/],
  [
    "one provider without a route",
    [greeted("a.test"), unrouted("b.test")],
    DIRECT,
    "warning",
    /cannot resolve all/,
  ],
  [
    "one provider that does not answer",
    [greeted("a.test"), silent("b.test")],
    DIRECT,
    "warning",
    /Try again later/,
  ],
] as const)("%s", (_, probes, route, outcome, advice) => {
  const finding = judgePort25(probes, route);
  expect(finding.outcome).toBe(outcome);
  expect(finding.advice).toMatch(advice);
});

test("a rejection also shows that the port is open", () => {
  expect(judgePort25([greeted("a.test"), blockedBy("b.test")], DIRECT)).toEqual({
    name: "port 25",
    outcome: "good",
    found: "Open: a.test, b.test answered.",
  });
});

test("three providers with the same banner name mean interception", () => {
  const probes = ["a.test", "b.test", "c.test"].map((provider) => greeted(provider, "filter.isp.test"));
  expect(judgePort25(probes, DIRECT)).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("banner filter.isp.test"),
  });
  expect(judgePort25(probes.slice(0, 2), DIRECT).outcome).toBe("good"); // two may share a provider
  expect(judgePort25([...probes, greeted("d.test")], DIRECT).outcome).toBe("good");
});
