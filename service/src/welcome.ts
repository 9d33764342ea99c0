/** What the service says on the terminal when it has started: where it is, how to sign in, and a line to try. */
import { API_PREFIX } from "@mailvet/contract";
import type { Welcome } from "./accounts/first-start.ts";

export function welcomeText(
  address: string,
  first: Welcome | undefined,
  bootstrapKey: string | undefined,
): string {
  const lines = [`mailvet listens on ${address}`];
  if (first) {
    lines.push("", "This is its first start. What follows is shown once, so keep it:", "");
    lines.push(`  sign in as    ${first.email}`);
    lines.push(`  password      ${first.password ?? "as set in ADMIN_PASSWORD"}`);
    lines.push(`  API key       ${first.apiKeyText ?? "as set in BOOTSTRAP_API_KEY"}`);
  }
  const key = first?.apiKeyText ?? (bootstrapKey ? shellQuoted(bootstrapKey) : "YOUR_API_KEY");
  lines.push(
    "",
    "Try it:",
    "",
    `  curl -H "X-API-Key: ${key}" "${address}${API_PREFIX}/validation/single?email=valid@mailvet.test"`,
  );
  lines.push("", `The API is described at ${address}/docs`, "");
  return lines.join("\n");
}

/** Inside double quotes. */
function shellQuoted(text: string): string {
  return text.replace(/[\\"$`]/g, "\\$&");
}
