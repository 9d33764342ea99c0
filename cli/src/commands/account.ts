/** mailvet account: shows the account that an API key belongs to. */
import type { Account } from "@mailvet/contract";
import type { Command } from "commander";
import { type Paint, paintFor, printable } from "../output/terminal.ts";
import { addServiceOptions, requireService, type ServiceOptions } from "../remote/service.ts";

export function addAccountCommand(program: Command): void {
  const account = program
    .command("account")
    .summary("show plan, credits and limits of the account at a service")
    .description("Show plan, credits and limits of the account that the API key belongs to.");
  addServiceOptions(account)
    .option("--json", "print the account as JSON, as returned by the API")
    .addHelpText(
      "after",
      `
Exit codes:
  0    success
  1    the service rejected the request or could not be reached
  2    invalid usage`,
    )
    .action(show);
}

async function show(options: ServiceOptions & { json?: true }): Promise<void> {
  const service = requireService(options);
  const account = await service.client.account().catch((error: unknown) => {
    throw service.explain(error);
  });
  const text = options.json ? JSON.stringify(account) : cardOf(account, paintFor(process.stdout));
  process.stdout.write(`${text}\n`);
}

function cardOf({ email, plan, is_operator, credits, limits }: Account, paint: Paint): string {
  const count = (number: number) => number.toLocaleString("en");
  const rows: [string, string][] = [
    ["plan", limits.api_access ? plan : `${plan}, no API access`],
    ["credits", `${count(credits.balance)}, ${count(credits.reserved)} reserved`],
    [
      "requests",
      `${count(limits.requests_per_minute)} per minute, ${count(limits.concurrent_requests)} concurrent`,
    ],
    ["jobs", `${count(limits.emails_per_file)} emails per file, ${count(limits.active_jobs)} active jobs`],
  ];
  if (is_operator) rows.push(["role", "operator of this service"]);
  const lines = rows.map(([name, value]) => `  ${paint("dim", name.padEnd(9))} ${printable(value)}`);
  return [paint("bold", printable(email)), ...lines].join("\n");
}
