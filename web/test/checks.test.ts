/** Journeys through the validate page: verdicts, stages, suggestions, cost. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { journeysIn } from "./journey.ts";

const journey = journeysIn();

/** An address of the lab, its verdict and reason, the outcome of the SMTP stage and the start of the quoted reply. */
const CHECKS = [
  ["ann@polite.example-lab.com", "valid", /accepts this mailbox and rejects made-up ones/, "accepted", "250"],
  [
    "eve@polite.example-lab.com",
    "invalid · mailbox not found",
    /this mailbox does not exist/,
    "rejected",
    "550",
  ],
  ["ann@open.example-lab.com", "risky · catch all", /accepts every address/, "accepted", "250"],
  ["ann@mailinator.com", "risky · disposable", /a disposable email service/, "accepted", "250"],
  ["info@polite.example-lab.com", "risky · role based", /a role address/, "accepted", "250"],
  ["ann@grey.example-lab.com", "unknown · greylisted", /asked us to retry later/, "inconclusive", "45"],
] as const;

journey(
  "every kind of verdict is shown with its reason, its stages and the server's reply",
  async (context) => {
    const { service, visit } = context;
    const { cookie } = await service.openAccount({ credits: CHECKS.length });
    const { page, open } = await visit({ cookie });
    await open("/validate");
    for (const [email, verdict, sentence, answer, reply] of CHECKS) {
      await check(page, email);
      const result = page.getByRole("article", { name: `Result for ${email}` });
      await result.getByRole("heading", { level: 2, name: sentence }).waitFor();
      await result.getByText(verdict, { exact: true }).first().waitFor();
      const stage = result.getByRole("button", { name: `Server response ${answer}` });
      if ((await stage.getAttribute("aria-expanded")) === "false") await stage.click(); // another stage decided
      const server = result.getByRole("region", { name: `Server response ${answer}` });
      expect(await server.getByRole("blockquote").textContent()).toMatch(new RegExp(`^${reply}`));
    }
    await page.getByRole("link", { name: "0 credits" }).waitFor();
    const history = page.getByRole("region", { name: "Recent checks (this tab)" });
    expect(await history.getByRole("link").allInnerTexts()).toEqual(CHECKS.map(([email]) => email).reverse());
  },
);

journey("a suggestion is checked with one click, and viewing results again is free", async (context) => {
  const { service, lab, visit } = context;
  const { cookie, key } = await service.openAccount({ credits: 3 });
  const { page, open } = await visit({ cookie });
  await open("/validate");
  await check(page, "annabel.lab@gmial.com");
  await page.getByText("Did you mean another address?").waitFor();
  await page.getByText("annabel.lab@gmail.com", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Check suggestion" }).click();

  const verdict = page.getByRole("heading", {
    level: 2,
    name: /accepts this mailbox and rejects made-up ones/,
  });
  await verdict.waitFor();
  await page.getByRole("link", { name: "1 credit", exact: true }).waitFor();
  const { connections } = lab.counts("gmail-smtp-in.l.google.com");
  await page.reload();
  await verdict.waitFor();
  await page.getByRole("link", { name: "annabel.lab@gmial.com" }).click();
  await page.getByText("Did you mean another address?").waitFor();
  await page.goBack();
  await verdict.waitFor();
  await open("/validate?email=ann@polite.example-lab.com");
  await page.getByText("Opening this page is free").waitFor();

  const { body } = await service.ask("/credits", { key });
  expect(body).toMatchObject({ balance: 1, reserved: 0 });
  expect(lab.counts("gmail-smtp-in.l.google.com").connections).toBe(connections);
});

journey("a malformed address is shown with the position of its error", async ({ service, visit }) => {
  const { cookie } = await service.openAccount({ credits: 1 });
  const { page, open } = await visit({ cookie });
  await open("/validate");
  await page.getByRole("button", { name: "Check (1 credit)" }).click();
  await page.getByText("Enter an email address.").waitFor();
  await check(page, "an,n@polite.example-lab.com");
  await page.getByText("invalid · syntax error", { exact: true }).first().waitFor();
  const syntax = page.getByRole("region", { name: "Syntax malformed" });
  expect(await syntax.locator("mark").textContent()).toBe(",");
});

async function check(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Check (1 credit)" }).click();
}
