/** One measured run in its own process: the facts of all domains, after a warm-up with separate parts. */
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { createResolver } from "#src/dns/resolver";
import type { createDomainFacts } from "#src/domain-facts";
import type { createEgressGuard } from "#src/egress/guard";
import type { domainLookups } from "#src/network-stages";
import type { loadDisposables } from "#src/reference/disposable";

/** `build` is a compiled engine, its dist directory. */
export type DnsRunRequest = { build: string; nameServer: string; domains: number };

export type DnsRunResult = {
  cpuMs: number;
  /** Queries requested from the resolver, including those that wait or are cached. */
  questions: number;
  found: number;
  /** Those requested when the first route was known. */
  firstRouteAfter: number;
  /** Hash over all facts, to compare builds. */
  facts: string;
};

type Parts = {
  createResolver: typeof createResolver;
  createDomainFacts: typeof createDomainFacts;
  createEgressGuard: typeof createEgressGuard;
  domainLookups: typeof domainLookups;
  loadDisposables: typeof loadDisposables;
};

const WARM_UP_DOMAINS = 1000;

process.once("message", async (request: DnsRunRequest) => {
  const load = (file: string) => import(pathToFileURL(`${request.build}/${file}.js`).href);
  const files = ["dns/resolver", "domain-facts", "egress/guard", "network-stages", "reference/disposable"];
  const parts: Parts = Object.assign({}, ...(await Promise.all(files.map(load))));
  await run(parts, { ...request, domains: WARM_UP_DOMAINS });
  process.send!(await run(parts, request));
  process.exit(0);
});

async function run(parts: Parts, { nameServer, domains }: DnsRunRequest): Promise<DnsRunResult> {
  const resolver = parts.createResolver({ servers: [nameServer] });
  const guard = parts.createEgressGuard({ allow: ["127.0.0.0/8"] });
  const facts = parts.createDomainFacts({
    lookups: parts.domainLookups({ resolver: counted(resolver), guard }),
    disposables: parts.loadDisposables(),
  });
  const result = { questions: 0, found: 0, firstRouteAfter: 0 };
  function counted(inner: typeof resolver): typeof resolver {
    return {
      ...inner,
      query: (...args) => {
        result.questions++;
        return inner.query(...args);
      },
    };
  }
  const before = process.cpuUsage();
  const found = await Promise.all(
    Array.from({ length: domains }, async (_, i) => {
      const domain = `domain${i}.test`;
      const route = await facts.routeOf(domain);
      result.firstRouteAfter ||= result.questions;
      if (route.route.kind === "mail_hosts") result.found++;
      return { route, policies: await facts.policiesOf(domain) };
    }),
  );
  const { user, system } = process.cpuUsage(before);
  resolver.close();
  const hash = createHash("sha256").update(JSON.stringify(found)).digest("hex");
  return { ...result, cpuMs: (user + system) / 1000, facts: hash.slice(0, 12) };
}
