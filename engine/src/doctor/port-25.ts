/**
 * Can we reach mail servers at all? Told from the visits: what came back when we knocked, whatever was said then.
 *
 * Most clouds and home lines drop what goes to port 25, some hosts answer it themselves in everybody's name.
 */
import { type Case, type Finding, judge } from "./finding.ts";
import type { ProviderProbe } from "./provider-probe.ts";

export type Way = { port: number; hasProxy: boolean };

export function judgePort25(visits: readonly ProviderProbe[], way: Way): Finding {
  const tried = visits.filter(({ kind }) => kind !== "no_route");
  return judge("port 25", CASES, { ...way, visits, tried, answered: tried.filter(spoke) });
}

type Facts = Way & {
  visits: readonly ProviderProbe[];
  tried: readonly ProviderProbe[];
  answered: readonly ProviderProbe[];
};

const MAIL_PORT = 25;
/** So many different providers do not greet with one name. */
const TOO_MANY_ALIKE = 3;

const NO_PORT_25 =
  "Ask your provider to open outgoing port 25 (many do on request), or let a machine elsewhere carry the connections with SOCKS_PROXY, or run Mailvet on one.";

const nobodyAnswered = ({ answered }: Facts) => answered.length === 0;

const CASES: readonly Case<Facts>[] = [
  {
    outcome: "unknown",
    when: ({ tried }) => tried.length === 0,
    found: ({ visits }) => `No mail server was found to try: ${visits.map(toldOf).join(", ")}.`,
    advice: () => "Put the name servers right first.",
  },
  {
    outcome: "bad",
    when: (facts) => nobodyAnswered(facts) && facts.hasProxy,
    found: ({ tried }) => `Nobody answers through the proxy: ${tried.map(toldOf).join(", ")}.`,
    advice: ({ port }) =>
      `Check that the proxy in SOCKS_PROXY runs, accepts us, and may itself connect to port ${port}.`,
  },
  {
    outcome: "bad",
    when: (facts) => nobodyAnswered(facts) && facts.port !== MAIL_PORT,
    found: ({ port, tried }) => `Nobody answers on port ${port}: ${tried.map(toldOf).join(", ")}.`,
    advice: () => "Mail servers listen on port 25. Remove SMTP_PORT unless you mean to talk to a lab.",
  },
  {
    outcome: "bad",
    when: (facts) => nobodyAnswered(facts) && facts.tried.every(({ kind }) => kind === "silent"),
    found: ({ tried }) => `Blocked: not one of ${providersOf(tried)} lets itself be heard on port 25.`,
    advice: () => `Something on the way drops what goes to port 25. ${NO_PORT_25}`,
  },
  {
    outcome: "bad",
    when: (facts) => nobodyAnswered(facts) && facts.tried.every(({ kind }) => kind === "mute"),
    found: ({ tried }) => `Connections to ${providersOf(tried)} come about, and then nobody speaks.`,
    advice: () =>
      `Something on the way, such as a firewall or a virus scanner, takes the calls to port 25. ${NO_PORT_25}`,
  },
  {
    outcome: "bad",
    when: nobodyAnswered,
    found: ({ tried }) => `No mail server can be reached: ${tried.map(toldOf).join(", ")}.`,
    advice: () =>
      `Look at the routes and the firewall of this machine: outgoing connections to port 25 fail. ${NO_PORT_25}`,
  },
  {
    outcome: "bad",
    when: ({ answered }) => commonBannerOf(answered) !== undefined,
    found: ({ answered }) =>
      `${providersOf(answered)} all greet as ${commonBannerOf(answered)}, so it is not they who answer.`,
    advice: () =>
      `Something on the way answers port 25 in everybody's name, and every verdict would be its own. ${NO_PORT_25}`,
  },
  {
    outcome: "warning",
    when: ({ answered, tried, visits }) => answered.length === tried.length && tried.length < visits.length,
    found: ({ answered, visits }) =>
      `${providersOf(answered)} answered; no way was found to ${visits
        .filter((visit) => !spoke(visit))
        .map(toldOf)
        .join(", ")}.`,
    advice: () => "Port 25 is open, but the name servers do not know all the large providers. Look at them.",
  },
  {
    outcome: "warning",
    when: ({ answered, visits }) => answered.length < visits.length,
    found: ({ answered, visits }) => {
      const rest = visits.filter((visit) => !spoke(visit));
      return `${providersOf(answered)} answered; not so ${rest.map(toldOf).join(", ")}.`;
    },
    advice: () =>
      "Port 25 is open. Try again later; if the same ones stay away, they may be dropping connections from your address.",
  },
  {
    outcome: "good",
    when: () => true,
    found: ({ answered }) => `Open: ${providersOf(answered)} answered.`,
  },
];

function spoke({ kind }: ProviderProbe): boolean {
  return kind === "greeted" || kind === "refused";
}

function providersOf(visits: readonly ProviderProbe[]): string {
  return visits.map(({ provider }) => provider).join(", ");
}

function toldOf(visit: ProviderProbe): string {
  return "why" in visit
    ? `${visit.provider} (${visit.why})`
    : `${visit.provider} (${visit.kind === "silent" ? "no answer" : "connected, then nothing"})`;
}

/** The one name under which all of them greeted, when there are too many for that. */
function commonBannerOf(answered: readonly ProviderProbe[]): string | undefined {
  const names = answered.map((visit) => (visit.kind === "greeted" ? visit.bannerName : undefined));
  const [first] = names;
  return names.length >= TOO_MANY_ALIKE && first && names.every((name) => name === first) ? first : undefined;
}
