/** mailvet domain: reports mail route, provider and policies of a domain, locally or from a service. */
import type { DomainReport } from "@mailvet/contract";
import { MailvetProblem } from "@mailvet/sdk";
import type { Command } from "commander";
import { type Paint, paintFor, printable } from "../output/terminal.ts";
import {
  addServiceOptions,
  badUsage,
  printPlace,
  type RemoteService,
  type ServiceOptions,
  serviceFrom,
} from "../remote/service.ts";

export function addDomainCommand(program: Command): void {
  const domain = program
    .command("domain")
    .summary("inspect a mail domain, locally or at a service")
    .description(
      "Inspect a mail domain: mail route, provider, SPF, DMARC and MTA-STS, and whether it is a catch-all. " +
        "Probes its mail server for postmaster and for a made-up mailbox; no mail is sent.",
    )
    .argument("<name>", "the domain, such as example.com");
  addServiceOptions(domain)
    .option("--json", "print the report as JSON, as returned by the API")
    .addHelpText(
      "after",
      `
Examples:
  mailvet domain example.com
  MAILVET_API_KEY=… mailvet domain example.com --service https://mailvet.example.com

With a service, the report costs one credit.

Exit codes:
  0    success
  1    the service rejected the request or could not be reached
  2    invalid usage, or not a public domain name`,
    )
    .action(show);
}

async function show(name: string, options: ServiceOptions & { json?: true }): Promise<void> {
  if (name.trim() === "") throw badUsage("The domain is missing.");
  const service = serviceFrom(options);
  printPlace(service);
  const report = service ? await inspectRemotely(service, name) : await inspectLocally(name);
  const text = options.json ? JSON.stringify(report) : domainCard(report, paintFor(process.stdout));
  process.stdout.write(`${text}\n`);
}

function inspectRemotely({ client, explain }: RemoteService, name: string): Promise<DomainReport> {
  return client.inspectDomain(name).catch((error: unknown) => {
    if (error instanceof MailvetProblem && error.code === "validation_failed") throw badUsage(error.detail);
    throw explain(error);
  });
}

async function inspectLocally(name: string): Promise<DomainReport> {
  const local = await import("../check/local-check.ts"); // with the engine
  return local.inspectLocally(name);
}

const ROUTE_TEXTS: Partial<Record<DomainReport["mail_route"]["kind"], string>> = {
  null_mx: "none: the domain accepts no mail (null MX)",
  none: "none: no MX record and no address record",
  domain_not_found: "none: the domain does not exist or has no public address",
};

export function domainCard(report: DomainReport, paint: Paint): string {
  const { mail_route: route, disposable, catchall } = report;
  const hosts = route.hosts.map(
    ({ host, priority, addresses }) =>
      `${priority === null ? "" : `${priority} `}${host}${addresses.length > 0 ? ` (${addresses.join(", ")})` : ""}`,
  );
  const kind = route.reason === null ? route.kind : `${route.kind}: ${route.reason}`;
  const rows: [string, string][] = [
    ["mail route", ROUTE_TEXTS[route.kind] ?? [kind, ...hosts].join("\n")],
    ["provider", report.provider],
    ["catch-all", catchallText(catchall)],
    ["server reply", replyText(catchall)],
    [
      "disposable",
      disposable.is_disposable ? `yes (matched by ${disposable.matched_by?.replace("_", " ")})` : "no",
    ],
    ["SPF", policyText(report.spf)],
    ["DMARC", policyText(report.dmarc)],
    ["MTA-STS", policyText(report.mta_sts)],
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

function catchallText({ is_catchall, confidence, outcome }: Catchall): string {
  if (is_catchall === null) return outcome === null ? "" : `unknown (${outcome})`;
  return `${is_catchall ? "yes" : "no"}, ${Math.round((confidence ?? 0) * 100)} % confidence`;
}

function replyText({ asked_for, mx_host, smtp_code, smtp_enhanced_code, smtp_message }: Catchall): string {
  if (smtp_code === 0) return "";
  const recipient = asked_for === "decoy" ? "a made-up mailbox" : "postmaster";
  const reply = [smtp_code, smtp_enhanced_code, smtp_message].filter((part) => part !== "").join(" ");
  return `${mx_host}, for ${recipient}: ${reply}`;
}

function policyText({ found, name, records }: DomainReport["spf"]): string {
  if (found === null) return "unknown";
  if (records.length === 0) return "none";
  const note = found ? name : `${name}: several records, treated as none`;
  return [note, ...records].join("\n");
}
