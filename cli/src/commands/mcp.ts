/** mailvet mcp: serves the tools of the Model Context Protocol over standard input and output. */
import { serveStdio, type ToolBackend } from "@mailvet/mcp";
import type { Command } from "commander";
import { reportFailure } from "../check/local-check.ts";
import { openLocalBackend } from "../mcp/local-backend.ts";
import { remoteBackend } from "../mcp/remote-backend.ts";
import { addServiceOptions, printPlace, type ServiceOptions, serviceFrom } from "../remote/service.ts";
import { version } from "../version.ts";

export function addMcpCommand(program: Command): void {
  const mcp = program
    .command("mcp")
    .summary("serve the tools of the Model Context Protocol")
    .description(
      "Serve Mailvet's tools to a client of the Model Context Protocol over standard input and output: check, " +
        "check_many, explain_reply, domain, start_job, job_status and job_results.",
    );
  addServiceOptions(mcp)
    .addHelpText(
      "after",
      `
With a service, checks and jobs run there and cost credits. Without one, the local engine checks, and the
tools for jobs say that they need a service.

Configuration of a client:
  {"mcpServers": {"mailvet": {"command": "mailvet", "args": ["mcp"],
    "env": {"MAILVET_SERVICE": "https://mailvet.example.com", "MAILVET_API_KEY": "…"}}}}

A service also serves the same tools itself, at POST /mcp.

Exit codes:
  0    the client has closed the connection; requests it had sent are answered first, for up to 65 seconds
  2    invalid usage`,
    )
    .action(serve);
}

async function serve(options: ServiceOptions): Promise<void> {
  const service = serviceFrom(options);
  printPlace(service); // clients keep it in their log
  await using local = service ? undefined : openLocalBackend();
  const backend: ToolBackend = service ? remoteBackend(service) : local!;
  const onDefect = (error: unknown) =>
    reportFailure(error instanceof Error ? (error.stack ?? error.message) : String(error));
  await serveStdio({ version, backend, onDefect });
}
