/**
 * Checks that the name servers answer, how fast, and that they report missing names as NXDOMAIN.
 *
 * A resolver that returns an address for every unknown name (some access providers do, to show advertisements) makes
 * domains look alive that do not exist.
 */
import { randomBytes } from "node:crypto";
import type { DnsAnswer } from "../dns/dns-answer.ts";
import { createResolver } from "../dns/resolver.ts";
import { type Diagnosis, type FindingRule, judge } from "./finding.ts";

export async function examineNameServers(options: {
  /** Each as `ip[:port]`. */
  nameServers: readonly string[];
  /** A domain that certainly exists. */
  knownDomain: string;
  timeoutMs: number;
  /** Response time above which a server is reported as slow. */
  slowMs?: number | undefined;
}): Promise<Diagnosis> {
  const reports = await Promise.all(options.nameServers.map((server) => testServer(server, options)));
  return judge("name servers", RULES, {
    reports,
    knownDomain: options.knownDomain,
    slowMs: options.slowMs ?? SLOW_MS,
  });
}

type ServerReport = {
  server: string;
  known: DnsAnswer<"MX">["status"];
  missing: DnsAnswer<"A">["status"];
  tookMs: number;
};

async function testServer(
  server: string,
  { knownDomain, timeoutMs }: { knownDomain: string; timeoutMs: number },
): Promise<ServerReport> {
  const resolver = createResolver({ servers: [server], timeoutMs });
  try {
    const started = performance.now();
    const known = resolver.query(knownDomain, "MX").then((answer) => ({
      status: answer.status,
      tookMs: Math.round(performance.now() - started),
    }));
    const missing = await resolver.query(`mailvet-doctor-${randomBytes(8).toString("hex")}.com`, "A");
    const { status, tookMs } = await known;
    return { server, known: status, missing: missing.status, tookMs };
  } finally {
    resolver.close();
  }
}

type Facts = { reports: readonly ServerReport[]; knownDomain: string; slowMs: number };

const SLOW_MS = 1000;

const inventsAnswers = ({ missing }: ServerReport) => missing === "answer";
const answers = ({ known }: ServerReport) => known === "answer";
const lacksKnownDomain = ({ known }: ServerReport) => known === "nxdomain" || known === "nodata";
const isSlow = (slowMs: number) => (report: ServerReport) => answers(report) && report.tookMs > slowMs;
const reportsMissingNames = ({ missing }: ServerReport) => missing === "nxdomain";

const serversThat = (reports: readonly ServerReport[], is: (report: ServerReport) => boolean) =>
  reports
    .filter(is)
    .map(({ server }) => server)
    .join(", ");
const summary = ({ reports }: Facts) =>
  reports
    .map((report) =>
      answers(report)
        ? `${report.server} answers in ${report.tookMs} ms`
        : `${report.server} fails (${report.known})`,
    )
    .join(", ");

const RULES: readonly FindingRule<Facts>[] = [
  {
    outcome: "bad",
    when: ({ reports }) => reports.some(inventsAnswers),
    found: ({ reports }) =>
      `${serversThat(reports, inventsAnswers)} returns an address for a name that does not exist.`,
    advice: () =>
      "Domains that do not exist look valid. Set DNS_SERVERS to a resolver that returns NXDOMAIN, ideally your own (unbound, for example).",
  },
  {
    outcome: "bad",
    when: ({ reports }) => reports.every(lacksKnownDomain),
    found: ({ reports, knownDomain }) =>
      `${serversThat(reports, lacksKnownDomain)} cannot resolve ${knownDomain}.`,
    advice: () => "It seems to resolve local names only. Set DNS_SERVERS to a resolver for the public DNS.",
  },
  {
    outcome: "bad",
    when: ({ reports }) => !reports.some(answers),
    found: (facts) => `No DNS server can resolve the MX records of ${facts.knownDomain}: ${summary(facts)}.`,
    advice: () =>
      "Checks need DNS. Open port 53 to these servers, UDP and TCP, or set DNS_SERVERS to others.",
  },
  {
    outcome: "warning",
    when: ({ reports }) => !reports.every(answers),
    found: (facts) => `${summary(facts)}.`,
    advice: ({ reports }) =>
      `Remove ${serversThat(reports, (report) => !answers(report))} from DNS_SERVERS (or from the system's resolvers), or fix it.`,
  },
  {
    outcome: "warning",
    when: ({ reports, slowMs }) => reports.some(isSlow(slowMs)),
    found: (facts) => `${summary(facts)}, which is slow.`,
    advice: () => "A resolver on this machine or in its network makes every check faster.",
  },
  {
    outcome: "warning",
    when: ({ reports }) => !reports.every(reportsMissingNames),
    found: (facts) =>
      `${summary(facts)}, but ${serversThat(facts.reports, (report) => !reportsMissingNames(report))} does not report missing names as NXDOMAIN.`,
    advice: () => "Missing domains cannot be recognised reliably. Try another resolver in DNS_SERVERS.",
  },
  {
    outcome: "good",
    when: () => true,
    found: (facts) => `${summary(facts)}; missing names are reported correctly.`,
  },
];
