/** The screenshots: name, role, and the steps to the page in the demo. */
import type { Page } from "playwright-core";

export type Role = "anonymous" | "customer" | "operator";

export type Shot = {
  /** Prefix of the file names. */
  name: string;
  role: Role;
  /** Resolves when the page is complete. */
  visit(page: Page): Promise<unknown>;
};

const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name }).first().waitFor();

const open =
  (path: string, ...headings: (string | RegExp)[]): Shot["visit"] =>
  async (page) => {
    await page.goto(path);
    for (const name of headings) await heading(page, name);
    await settled(page);
  };

/** No skeletons, and transitions have ended. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "hidden" });
  await page.waitForTimeout(200);
}

const check =
  (email: string): Shot["visit"] =>
  async (page) => {
    await page.goto("/validate");
    await page.getByLabel("Email address").fill(email);
    await page.getByRole("button", { name: "Check (1 credit)" }).click();
    await page.getByRole("article", { name: `Result for ${email}` }).waitFor({ timeout: 30_000 });
    await settled(page);
  };

const job =
  (filename: string, ...headings: string[]): Shot["visit"] =>
  async (page) => {
    await page.goto("/bulk");
    await page.getByRole("link", { name: filename }).click();
    for (const name of ["Verdicts", ...headings]) await heading(page, name);
    await settled(page);
  };

/** With a duplicate row and a second column with emails. */
export const GUESTS = `id,guest,email,referred by,city
1,Anna Adler,anna.adler1@north.example-lab.com,,Hamburg
2,Ben Berg,ben.berg2@south.example-lab.com,anna.adler1@north.example-lab.com,Leeds
3,Carla Conrad,carla.conrad3@harbour.example-lab.com,,Porto
4,Carla Conrad,CARLA.CONRAD3@harbour.example-lab.com,,Porto
5,David Dorn,david.dorn5@garden.example-lab.com,ben.berg2@south.example-lab.com,Lyon
6,Emma Ebert,emma.ebert6@gmial.com,,Vienna
`;

async function account(page: Page): Promise<void> {
  await page.goto("/operator/accounts");
  await page.getByRole("table").getByRole("link").first().click();
  await heading(page, "Latest ledger entries");
  await settled(page);
}

async function choose(page: Page): Promise<void> {
  await page.goto("/bulk");
  await page
    .getByLabel("File with emails")
    .setInputFiles({ name: "guest-list.csv", mimeType: "text/csv", buffer: Buffer.from(GUESTS) });
  await heading(page, "guest-list.csv");
  await settled(page);
}

async function createKey(page: Page): Promise<void> {
  await open("/keys", "API keys")(page);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog").waitFor();
  await page.waitForTimeout(400); // fade-in
}

async function deliveries(page: Page): Promise<void> {
  await page.goto("/webhooks");
  await page.getByRole("link", { name: "Order system" }).click();
  await heading(page, "Deliveries");
  await settled(page);
}

async function ledger(page: Page): Promise<void> {
  await open("/usage", "Ledger")(page);
  await page.getByRole("heading", { name: "Ledger" }).evaluate((node) => node.scrollIntoView());
}

async function savedList(page: Page): Promise<void> {
  await page.goto("/lists");
  await page.getByRole("table").getByRole("link").first().click();
  await heading(page, "What has changed");
  await settled(page);
}

/** Rendered by Scalar, which loads parts of the page as they come into view. */
async function reference(page: Page): Promise<void> {
  await open("/docs", "Mailvet")(page);
  await page.getByText("Authentication", { exact: true }).first().waitFor();
}

async function palette(page: Page): Promise<void> {
  await open("/", "Overview")(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("textbox").fill("news");
  await page.getByRole("dialog").getByText("newsletter.csv").waitFor();
  await settled(page);
}

export const SHOTS: readonly Shot[] = [
  { name: "sign-in", role: "anonymous", visit: open("/sign-in", "Sign in") },
  { name: "sign-up", role: "anonymous", visit: open("/sign-up", /./) },
  { name: "forgotten-password", role: "anonymous", visit: open("/forgotten-password", /./) },
  { name: "overview", role: "customer", visit: open("/", "Verdicts per day", "Recent jobs") },
  { name: "validate", role: "customer", visit: open("/validate", "Validate") },
  { name: "validate-valid", role: "customer", visit: check("ann@polite.example-lab.com") },
  { name: "validate-unknown", role: "customer", visit: check("ann@grey.example-lab.com") },
  { name: "bulk", role: "customer", visit: open("/bulk", "Jobs") },
  { name: "bulk-preview", role: "customer", visit: choose },
  { name: "job-running", role: "customer", visit: job("crm-export.csv") },
  { name: "job-completed", role: "customer", visit: job("newsletter.csv", "Results") },
  { name: "lists", role: "customer", visit: open("/lists", "Saved lists") },
  { name: "list", role: "customer", visit: savedList },
  { name: "keys", role: "customer", visit: open("/keys", "API keys", "Use a key") },
  { name: "key-dialog", role: "customer", visit: createKey },
  { name: "webhooks", role: "customer", visit: open("/webhooks", "Webhooks") },
  { name: "webhook-deliveries", role: "customer", visit: deliveries },
  { name: "usage", role: "customer", visit: open("/usage", /Usage/) },
  { name: "usage-ledger", role: "customer", visit: ledger },
  { name: "audit", role: "customer", visit: open("/audit", "Audit log") },
  { name: "command-palette", role: "customer", visit: palette },
  { name: "not-found", role: "customer", visit: open("/nowhere", "Page not found") },
  { name: "docs", role: "customer", visit: reference },
  { name: "docs-problems", role: "anonymous", visit: open("/docs/problems", "Problems") },
  { name: "docs-problem", role: "anonymous", visit: open("/docs/problems/validation_failed", "Fix") },
  { name: "settings", role: "customer", visit: open("/settings", "Settings") },
  { name: "operator-accounts", role: "operator", visit: open("/operator/accounts", "Accounts") },
  { name: "operator-account", role: "operator", visit: account },
  { name: "operator-jobs", role: "operator", visit: open("/operator/jobs", "Jobs") },
  { name: "operator-keys", role: "operator", visit: open("/operator/keys", "Operator keys") },
  { name: "operator-system", role: "operator", visit: open("/operator/system", "System") },
];
