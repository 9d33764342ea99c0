/** mailvet account: whose API key this is, what it may do, and what is left. */
import type { Account } from "@mailvet/contract";
import type { Command } from "commander";
import { type Paint, paintFor, printable } from "../output/terminal.ts";
import { addServiceOptions, badUsage, type ServiceOptions, serviceFrom } from "../remote/service.ts";

export function addAccountCommand(program: Command): void {
  const account = program
    .command("account")
    .summary("plan, credits and limits of the account at a service")
    .description("Show the plan, the credits and the limits of the account that an API key belongs to.");
  addServiceOptions(account)
    .option("--json", "print the account as the API returns it")
    .addHelpText(
      "after",
      "\nExit code 0 when it ran; 1 when the service refused or could not be reached; 2 when the command could not be understood.",
    )
    .action(show);
}

async function show(options: ServiceOptions & { json?: true }): Promise<void> {
  const service = serviceFrom(options);
  if (!service) throw badUsage("name the service with --service URL or MAILVET_SERVICE");
  const account = await service.client.account().catch((error: unknown) => {
    throw service.explain(error);
  });
  const text = options.json ? JSON.stringify(account) : cardOf(account, paintFor(process.stdout));
  process.stdout.write(`${text}\n`);
}

function cardOf({ email, plan, is_operator, credits, limits }: Account, paint: Paint): string {
  const count = (number: number) => number.toLocaleString("en");
  const rows: [string, string][] = [
    ["plan", limits.api_access ? plan : `${plan}, without API access`],
    ["credits", `${count(credits.balance)}, and ${count(credits.reserved)} held for work under way`],
    [
      "requests",
      `${count(limits.requests_per_minute)} a minute with each key, ${count(limits.concurrent_requests)} at once`,
    ],
    ["files", `${count(limits.emails_per_file)} emails each, ${count(limits.active_jobs)} jobs at once`],
  ];
  if (is_operator) rows.push(["role", "operator of this service"]);
  const lines = rows.map(([name, value]) => `  ${paint("dim", name.padEnd(9))} ${printable(value)}`);
  return [paint("bold", printable(email)), ...lines].join("\n");
}
