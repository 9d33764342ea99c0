/**
 * Do the name servers answer, how fast, and do they admit it when a name does not exist?
 *
 * A name server that invents an address for every unknown name (some access providers' do, to show
 * advertisements) makes dead domains look alive.
 */
import { randomBytes } from "node:crypto";
import type { DnsAnswer } from "../dns/dns-answer.ts";
import { createResolver } from "../dns/resolver.ts";
import { type Case, type Finding, judge } from "./finding.ts";

export async function examineNameServers(options: {
  /** Each as `ip[:port]`. */
  nameServers: readonly string[];
  /** A domain that exists beyond doubt. */
  knownDomain: string;
  timeoutMs: number;
  /** One that takes longer is slow. */
  slowMs?: number | undefined;
}): Promise<Finding> {
  const reports = await Promise.all(options.nameServers.map((server) => interview(server, options)));
  return judge("name servers", CASES, {
    reports,
    knownDomain: options.knownDomain,
    slowMs: options.slowMs ?? SLOW_MS,
  });
}

type Report = {
  server: string;
  known: DnsAnswer<"MX">["status"];
  nonsense: DnsAnswer<"A">["status"];
  tookMs: number;
};

async function interview(
  server: string,
  { knownDomain, timeoutMs }: { knownDomain: string; timeoutMs: number },
): Promise<Report> {
  const resolver = createResolver({ servers: [server], timeoutMs });
  try {
    const started = performance.now();
    const known = resolver.ask(knownDomain, "MX").then((answer) => ({
      status: answer.status,
      tookMs: Math.round(performance.now() - started),
    }));
    const nonsense = await resolver.ask(`mailvet-doctor-${randomBytes(8).toString("hex")}.com`, "A");
    const { status, tookMs } = await known;
    return { server, known: status, nonsense: nonsense.status, tookMs };
  } finally {
    resolver.close();
  }
}

type Facts = { reports: readonly Report[]; knownDomain: string; slowMs: number };

const SLOW_MS = 1000;

const lies = ({ nonsense }: Report) => nonsense === "answer";
const answers = ({ known }: Report) => known === "answer";
const isBlind = ({ known }: Report) => known === "nxdomain" || known === "nodata";
const isSlow = (slowMs: number) => (report: Report) => answers(report) && report.tookMs > slowMs;
const admits = ({ nonsense }: Report) => nonsense === "nxdomain";

const named = (reports: readonly Report[], is: (report: Report) => boolean) =>
  reports
    .filter(is)
    .map(({ server }) => server)
    .join(", ");
const told = ({ reports }: Facts) =>
  reports
    .map((report) =>
      answers(report)
        ? `${report.server} answers in ${report.tookMs} ms`
        : `${report.server} fails (${report.known})`,
    )
    .join(", ");

const CASES: readonly Case<Facts>[] = [
  {
    outcome: "bad",
    when: ({ reports }) => reports.some(lies),
    found: ({ reports }) => `${named(reports, lies)} gives an address to a name that does not exist.`,
    advice: () =>
      "Dead domains look alive this way. Set DNS_SERVERS to a resolver that does not invent answers, best one of your own (unbound, for example).",
  },
  {
    outcome: "bad",
    when: ({ reports }) => reports.every(isBlind),
    found: ({ reports, knownDomain }) => `${named(reports, isBlind)} does not know of ${knownDomain}.`,
    advice: () =>
      "It seems to know this network alone, or to hide the rest. Set DNS_SERVERS to a resolver that knows the Internet.",
  },
  {
    outcome: "bad",
    when: ({ reports }) => !reports.some(answers),
    found: (facts) => `No name server can tell where ${facts.knownDomain} takes its mail: ${told(facts)}.`,
    advice: () =>
      "Nothing works without DNS. Check that port 53 is open to these servers, by UDP and TCP, or set DNS_SERVERS to others.",
  },
  {
    outcome: "warning",
    when: ({ reports }) => !reports.every(answers),
    found: (facts) => `${told(facts)}.`,
    advice: ({ reports }) =>
      `Take ${named(reports, (report) => !answers(report))} out of DNS_SERVERS (or of the system's resolvers), or put it right.`,
  },
  {
    outcome: "warning",
    when: ({ reports, slowMs }) => reports.some(isSlow(slowMs)),
    found: (facts) => `${told(facts)}, which is slow.`,
    advice: () => "A resolver on this machine or in its network makes every check faster.",
  },
  {
    outcome: "warning",
    when: ({ reports }) => !reports.every(admits),
    found: (facts) =>
      `${told(facts)}, but ${named(facts.reports, (report) => !admits(report))} does not say so when a name does not exist.`,
    advice: () => "Dead domains cannot be told for sure. Try another resolver in DNS_SERVERS.",
  },
  {
    outcome: "good",
    when: () => true,
    found: (facts) => `${told(facts)}; a name that does not exist is called so.`,
  },
];
