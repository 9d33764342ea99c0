/** mailvet domain: where a domain's mail goes, who runs it and what it publishes, here or at a service. */
import type { DomainReport } from "@mailvet/contract";
import type { Command } from "commander";
import { type Paint, paintFor, printable } from "../output/terminal.ts";
import {
  addServiceOptions,
  badUsage,
  type Service,
  type ServiceOptions,
  serviceFrom,
} from "../remote/service.ts";

export function addDomainCommand(program: Command): void {
  const domain = program
    .command("domain")
    .summary("inspect a mail domain, with the engine on this machine or at a service")
    .description(
      "Inspect a mail domain: its mail route, provider, SPF, DMARC and MTA-STS, and whether it accepts mail for any name. " +
        "Its mail server is asked for postmaster and for a made-up mailbox; nothing is sent.",
    )
    .argument("<name>", "the domain, such as example.com");
  addServiceOptions(domain)
    .option("--json", "print the report as the API returns it")
    .addHelpText(
      "after",
      `
Examples:
  mailvet domain example.com
  MAILVET_API_KEY=… mailvet domain example.com --service https://mailvet.example.com

With a service it costs one credit. Exit code 0 when it ran; 1 when the service refused or could not be reached; 2 when
the command could not be understood, or the name is no public domain.`,
    )
    .action(show);
}

async function show(name: string, options: ServiceOptions & { json?: true }): Promise<void> {
  const service = serviceFrom(options);
  const report = service ? await inspectAt(service, name) : await inspectHere(name);
  const text = options.json ? JSON.stringify(report) : domainCard(report, paintFor(process.stdout));
  process.stdout.write(`${text}\n`);
}

function inspectAt({ client, explain }: Service, name: string): Promise<DomainReport> {
  return client.inspectDomain(name).catch((error: unknown) => {
    throw explain(error);
  });
}

async function inspectHere(name: string): Promise<DomainReport> {
  const [{ randomUUID }, engine, { localSettings }] = await Promise.all([
    import("node:crypto"),
    import("@mailvet/engine"),
    import("../local-settings.ts"),
  ]);
  const verifier = engine.verifierFrom(localSettings());
  try {
    const started = performance.now();
    const evidence = await verifier.verify(engine.postmasterOf(name), "smtp", { isUrgent: true });
    const complaint = engine.domainComplaint(evidence);
    if (complaint !== undefined) throw badUsage(complaint);
    if (evidence.failure !== undefined) throw new Error(evidence.failure);
    const responseTimeMs = performance.now() - started;
    return engine.domainReportOf(evidence, { requestId: randomUUID(), planTier: "local", responseTimeMs });
  } finally {
    await verifier.close();
  }
}

const ROUTE_WORDS: Partial<Record<DomainReport["mail_route"]["kind"], string>> = {
  null_mx: "none: the domain says that it accepts no mail (null MX)",
  none: "none: no MX record and no address",
  domain_not_found: "none: the domain does not exist",
};

export function domainCard(report: DomainReport, paint: Paint): string {
  const { mail_route: route, disposable, catchall } = report;
  const hosts = route.hosts.map(
    ({ host, priority, addresses }) =>
      `${priority === null ? "" : `${priority} `}${host}${addresses.length > 0 ? ` (${addresses.join(", ")})` : ""}`,
  );
  const kind = route.reason === null ? route.kind : `${route.kind}: ${route.reason}`;
  const rows: [string, string][] = [
    ["mail route", ROUTE_WORDS[route.kind] ?? [kind, ...hosts].join("\n")],
    ["provider", report.provider],
    ["catch-all", catchallWords(catchall)],
    ["server said", serverWords(catchall)],
    ["disposable", disposable.is_disposable ? `yes, by ${disposable.matched_by?.replace("_", " ")}` : "no"],
    ["SPF", policyWords(report.spf)],
    ["DMARC", policyWords(report.dmarc)],
    ["MTA-STS", policyWords(report.mta_sts)],
    ["did you mean", report.suggestion ?? ""],
  ];
  const lines = rows
    .filter(([, value]) => value !== "")
    .flatMap(([name, value]) =>
      value
        .split("\n")
        .map((line, i) => `  ${paint("dim", (i === 0 ? name : "").padEnd(12))} ${printable(line)}`),
    );
  return [paint("bold", printable(report.unicode_domain)), ...lines].join("\n");
}

type Catchall = DomainReport["catchall"];

function catchallWords({ is_catchall, confidence, outcome }: Catchall): string {
  if (is_catchall === null) return outcome === null ? "" : `not found out (${outcome})`;
  return `${is_catchall ? "yes" : "no"}, ${Math.round((confidence ?? 0) * 100)} % sure`;
}

function serverWords({ asked_for, mx_host, smtp_code, smtp_enhanced_code, smtp_message }: Catchall): string {
  if (smtp_code === 0) return "";
  const recipient = asked_for === "decoy" ? "a made-up name" : "postmaster";
  const reply = [smtp_code, smtp_enhanced_code, smtp_message].filter((part) => part !== "").join(" ");
  return `${mx_host}, of ${recipient}: ${reply}`;
}

function policyWords({ found, name, records }: DomainReport["spf"]): string {
  if (found === null) return "not found out";
  if (records.length === 0) return "none";
  const note = found ? name : `${name}, several records, which count as none`;
  return [note, ...records].join("\n");
}
