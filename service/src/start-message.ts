/** What the service says on the terminal when it has started: where it is, how to sign in, and a line to try. */
import { API_PREFIX } from "@mailvet/contract";
import type { BootstrapResult } from "./accounts/bootstrap.ts";
import type { Config } from "./config.ts";

export function startMessage(
  { host, publicUrl, storage, operator }: Config,
  address: string,
  first: BootstrapResult | undefined,
  isTerminal: boolean,
): string {
  const url = publicUrl ?? address;
  const isOpenToAll = host === "0.0.0.0" || host === "::";
  const lines = [
    `mailvet listens on ${address}${isOpenToAll ? ", and on every other address of this machine" : ""}`,
  ];
  if (publicUrl) lines.push(`and is reached at ${publicUrl}`);
  if ("dataDirectory" in storage) lines.push(`Its data is in ${storage.dataDirectory}`);
  if (first) {
    lines.push("", "This is its first start. What follows is shown once, so keep it:", "");
    lines.push(`  sign in as    ${first.email}`);
    lines.push(`  password      ${first.password ?? "as set in ADMIN_PASSWORD"}`);
    lines.push(`  API key       ${first.apiKeyText ?? "as set in BOOTSTRAP_API_KEY"}`);
  }
  // A key of the operator's choice is shown to somebody who looks, and not to a log at every start.
  const isShown = first !== undefined || isTerminal;
  const key =
    first?.apiKeyText ?? (isShown && operator.apiKey ? shellQuoted(operator.apiKey) : "YOUR_API_KEY");
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

/** Inside double quotes. */
function shellQuoted(text: string): string {
  return text.replace(/[\\"$`]/g, "\\$&");
}
