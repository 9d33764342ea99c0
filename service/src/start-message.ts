/** Messages for the terminal: progress of the database, and after the start the URL, how to sign in, and a first request. */
import { API_PREFIX } from "@mailvet/contract";
import type { EmbeddedPostgresEvent } from "@mailvet/embedded-postgres";
import type { BootstrapResult } from "./accounts/bootstrap.ts";
import type { Config } from "./config.ts";
import type { OutgoingEmail } from "./mail/mailer.ts";

/** Ends up in logs, so the only secrets in it are those that were generated just now and are stored nowhere else. */
export function startMessage(
  { host, publicUrl, storage }: Pick<Config, "host" | "publicUrl" | "storage">,
  address: string,
  first: BootstrapResult | undefined,
): string {
  const url = publicUrl ?? address;
  const isOpenToAll = host === "0.0.0.0" || host === "::";
  const lines = [
    `mailvet listens on ${address}${isOpenToAll ? ", and on every other address of this machine" : ""}`,
  ];
  if (publicUrl) lines.push(`and is reached at ${publicUrl}`);
  if ("dataDirectory" in storage) lines.push(`Its data is in ${storage.dataDirectory}`);
  if (first) {
    lines.push("", "First start. These credentials are shown once; store them safely:", "");
    lines.push(`  sign in as    ${first.email}`);
    lines.push(`  password      ${first.password ?? "as set in ADMIN_PASSWORD"}`);
    lines.push(`  API key       ${first.apiKeyText ?? "as set in BOOTSTRAP_API_KEY"}`);
  }
  const key = first?.apiKeyText ?? "YOUR_API_KEY";
  lines.push("", "Try it:", "");
  lines.push(
    `  curl -H "X-API-Key: ${key}" "${url}${API_PREFIX}/validation/single?email=valid@mailvet.test"`,
  );
  lines.push("", `Sign in at ${url}/`, `The API is described at ${url}/docs`, "");
  return lines.join("\n");
}

/** A worker has nothing to show but its health. */
export function workerStartMessage({ jobs }: Config, address: string | undefined): string {
  const health = address ? `; its health is at ${address}/health/ready` : "";
  return `mailvet works on jobs, ${jobs.workerSlots} slices at a time${health}`;
}

/** What the parts of the service tell the person at the terminal while it starts and runs. */
export type TerminalMessage =
  | { kind: "database"; event: EmbeddedPostgresEvent }
  /** No mail server is configured, so the operator passes it on. */
  | { kind: "email"; email: OutgoingEmail };

export function terminalText(message: TerminalMessage): string {
  if (message.kind === "database") return databaseEventMessage(message.event);
  const { to, subject, text } = message.email;
  return `No mail server is configured. Pass this message on to ${to}:\n${subject}\n\n${text}`;
}

export function databaseEventMessage(event: EmbeddedPostgresEvent): string {
  switch (event.event) {
    case "binaries_copying":
      return "copying PostgreSQL into the data directory, where its user can run it";
    case "cluster_creating":
      return "creating the database";
    case "server_adopted":
      return `found the database still running (process ${event.pid})`;
    case "orphan_stopping":
      return `stopping the database server of an earlier start (process ${event.pid})`;
    case "server_recovering":
      return "the database is starting; after a crash this can take a while";
    case "server_exited":
      return `the database server has exited; restarting it in ${event.restartInMs / 1000} s`;
    case "server_restarted":
      return "the database server runs again";
    case "server_restart_failed":
      return `restarting the database server failed: ${event.error instanceof Error ? event.error.message : event.error}`;
  }
}
