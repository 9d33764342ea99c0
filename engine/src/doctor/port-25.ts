/**
 * Checks that mail servers can be reached, from the provider probes: any SMTP response counts, also a rejection.
 *
 * Most clouds and home connections drop outgoing traffic to port 25; some networks intercept it and answer
 * themselves.
 */
import { MIN_SHARED_BANNERS } from "../smtp/throttle/interception.ts";
import { type Diagnosis, type FindingRule, judge } from "./finding.ts";
import type { ProviderProbe } from "./provider-probe.ts";

export type EgressRoute = { port: number; hasProxy: boolean };

export function judgePort25(probes: readonly ProviderProbe[], route: EgressRoute): Diagnosis {
  const tried = probes.filter(({ kind }) => kind !== "no_route");
  return judge("port 25", RULES, { ...route, probes, tried, answered: tried.filter(hasAnswered) });
}

type Facts = EgressRoute & {
  probes: readonly ProviderProbe[];
  tried: readonly ProviderProbe[];
  answered: readonly ProviderProbe[];
};

const MAIL_PORT = 25;

const NO_PORT_25 =
  "Ask your hosting provider to open outgoing port 25 (many do on request), or set SOCKS_PROXY to a proxy on a host that has it open, or run Mailvet there.";

const noneAnswered = ({ answered }: Facts) => answered.length === 0;

const RULES: readonly FindingRule<Facts>[] = [
  {
    outcome: "unknown",
    when: ({ tried }) => tried.length === 0,
    found: ({ probes }) => `No mail server could be resolved: ${probes.map(describe).join(", ")}.`,
    advice: () => "Fix the DNS servers first.",
  },
  {
    outcome: "bad",
    when: (facts) => noneAnswered(facts) && facts.hasProxy,
    found: ({ tried }) => `No mail server answers through the proxy: ${tried.map(describe).join(", ")}.`,
    advice: ({ port }) =>
      `Check that the proxy in SOCKS_PROXY is running, accepts our connections, and can connect to port ${port} itself.`,
  },
  {
    outcome: "bad",
    when: (facts) => noneAnswered(facts) && facts.port !== MAIL_PORT,
    found: ({ port, tried }) => `No mail server answers on port ${port}: ${tried.map(describe).join(", ")}.`,
    advice: () => "Mail servers listen on port 25. Remove SMTP_PORT unless you use the lab.",
  },
  {
    outcome: "bad",
    when: (facts) => noneAnswered(facts) && facts.tried.every(({ kind }) => kind === "silent"),
    found: ({ tried }) => `Blocked: none of ${providersOf(tried)} answers on port 25.`,
    advice: () => `Outgoing traffic to port 25 is dropped. ${NO_PORT_25}`,
  },
  {
    outcome: "bad",
    when: (facts) => noneAnswered(facts) && facts.tried.every(({ kind }) => kind === "mute"),
    found: ({ tried }) => `Connections to ${providersOf(tried)} open, but no SMTP banner follows.`,
    advice: () => `A firewall or virus scanner seems to intercept port 25. ${NO_PORT_25}`,
  },
  {
    outcome: "bad",
    when: noneAnswered,
    found: ({ tried }) => `No mail server can be reached: ${tried.map(describe).join(", ")}.`,
    advice: () =>
      `Outgoing connections to port 25 fail. Check the routes and the firewall of this machine. ${NO_PORT_25}`,
  },
  {
    outcome: "bad",
    when: ({ answered }) => commonBannerOf(answered) !== undefined,
    found: ({ answered }) =>
      `${providersOf(answered)} all answer with the banner ${commonBannerOf(answered)}, so the connections are intercepted.`,
    advice: () =>
      `A device in the network answers for all mail servers, so verdicts would be wrong. ${NO_PORT_25}`,
  },
  {
    outcome: "warning",
    when: ({ answered, tried, probes }) => answered.length === tried.length && tried.length < probes.length,
    found: ({ answered, probes }) =>
      `${providersOf(answered)} answered; could not resolve ${probes
        .filter((probe) => !hasAnswered(probe))
        .map(describe)
        .join(", ")}.`,
    advice: () => "Port 25 is open, but the DNS servers cannot resolve all large providers. Check them.",
  },
  {
    outcome: "warning",
    when: ({ answered, probes }) => answered.length < probes.length,
    found: ({ answered, probes }) => {
      const rest = probes.filter((probe) => !hasAnswered(probe));
      return `${providersOf(answered)} answered; no answer from ${rest.map(describe).join(", ")}.`;
    },
    advice: () =>
      "Port 25 is open. Try again later; if the same providers still do not answer, they may be dropping connections from your IP.",
  },
  {
    outcome: "good",
    when: () => true,
    found: ({ answered }) => `Open: ${providersOf(answered)} answered.`,
  },
];

function hasAnswered({ kind }: ProviderProbe): boolean {
  return kind === "greeted" || kind === "refused";
}

function providersOf(probes: readonly ProviderProbe[]): string {
  return probes.map(({ provider }) => provider).join(", ");
}

function describe(probe: ProviderProbe): string {
  return "why" in probe
    ? `${probe.provider} (${probe.why})`
    : `${probe.provider} (${probe.kind === "silent" ? "no answer" : "connected, then nothing"})`;
}

/** The banner name that all of them share, if there are too many for that. */
function commonBannerOf(answered: readonly ProviderProbe[]): string | undefined {
  const names = answered.map((probe) => (probe.kind === "greeted" ? probe.bannerName : undefined));
  const [first] = names;
  return names.length >= MIN_SHARED_BANNERS && first && names.every((name) => name === first)
    ? first
    : undefined;
}
