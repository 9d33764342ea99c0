/** The web app in German: chosen by the browser or by the reader, with nothing of the English pages left in it. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { formWith, type TestService } from "../../service/test/service.ts";
import { type JourneyContext, journeysIn } from "./journey.ts";
import type { VisitorOptions } from "./visitor.ts";

const journey = journeysIn();

/** Words that both languages have. */
const SAME = new Set(
  "Mailvet CSV Excel Score Status Syntax DNS Catch-all Credits Domain Webhooks English Deutsch".split(" "),
);
/** Addresses, the file and its column, and keys of the keyboard. */
const NAME = /^\S*[@.]\S+$|^liste\.csv|^email$|^\p{Lu}$|^[^\p{L}]*$/u;

/** Everything that is shown or read aloud, except code and the server's reply. */
const READ_TEXTS = `(() => {
  const texts = [document.title];
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest("script, style, noscript, pre, code, blockquote, time, nav[lang], [lang]:not(html)")) continue;
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
    for (const name of ["aria-label", "title", "placeholder", "alt"]) texts.push(element.getAttribute(name) ?? "");
  }
  return texts.map((text) => text.trim());
})()`;

async function textsOf(page: Page): Promise<Set<string>> {
  const texts = (await page.evaluate(READ_TEXTS)) as string[];
  return new Set(texts.filter((text) => !NAME.test(text) && !SAME.has(text)));
}

/** Visits a page in both languages and expects that no text of the English one is on the German one. */
async function expectGerman(
  visit: JourneyContext["visit"],
  visitor: VisitorOptions,
  use: (page: Page, isGerman: boolean) => Promise<unknown>,
): Promise<Page> {
  const { page: english } = await visit({ ...visitor, locale: "en-GB" });
  await use(english, false);
  const { page: german } = await visit({ ...visitor, locale: "de-AT" });
  await use(german, true);
  const [texts, germanTexts] = [await textsOf(english), await textsOf(german)];
  expect(texts.size).toBeGreaterThan(5);
  expect([...texts].filter((text) => germanTexts.has(text))).toEqual([]);
  expect(await german.locator("html").getAttribute("lang")).toBe("de");
  return german;
}

journey("signing in, in German", async ({ service, visit }) => {
  await expectGerman(visit, {}, async (page) => {
    await page.goto("/sign-in");
    await page.getByRole("heading", { level: 1 }).waitFor();
  });
  const { email, password } = await service.openAccount({ credits: 12_345 });
  const { page } = await visit({ locale: "de-DE" });
  await page.goto("/sign-in");
  await page.getByLabel("E-Mail").fill(email);
  await page.getByLabel("Passwort", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Anmelden" }).click();
  await page.getByRole("heading", { level: 1, name: "Übersicht" }).waitFor();
  await page.getByRole("main").getByText("12.345", { exact: true }).waitFor();
});

journey("checking an address, in German", async ({ service, visit }) => {
  const { cookie } = await service.openAccount();
  const page = await expectGerman(visit, { cookie }, async (page, isGerman) => {
    await page.goto("/validate");
    await page.getByLabel(isGerman ? "E-Mail-Adresse" : "Email address").fill("ann@open.example-lab.com");
    await page.getByRole("button", { name: isGerman ? "Prüfen (1 Credit)" : "Check (1 credit)" }).click();
    await page.getByRole("article").getByRole("heading", { level: 2 }).first().waitFor();
  });
  await page
    .getByText(/nimmt jede Adresse bei open\.example-lab\.com an \(Catch-all\)/)
    .first()
    .waitFor();
});

journey("a job, in German", async ({ service, visit }) => {
  const { cookie, key } = await service.openAccount();
  const id = await finishedJob(service, key);
  const page = await expectGerman(visit, { cookie }, async (page, isGerman) => {
    await page.goto(`/bulk/${id}`);
    await page.getByRole("heading", { name: isGerman ? "Ergebnisse" : "Results" }).waitFor();
    await page
      .getByText(isGerman ? "Postfach existiert nicht" : "No such mailbox")
      .first()
      .waitFor();
  });
  await page.getByText("50\u00a0% zustellbar").first().waitFor();
});

journey("a chosen language is remembered, and comes before the browser's", async ({ service, visit }) => {
  const { page } = await visit({ locale: "en-GB" });
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Deutsch" }).click();
  await page.getByRole("heading", { level: 1, name: "Anmelden" }).waitFor();
  const { email, password } = await service.openAccount();
  await page.getByLabel("E-Mail").fill(email);
  await page.getByLabel("Passwort", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Anmelden" }).click();
  await page.getByRole("heading", { level: 1, name: "Übersicht" }).waitFor();
  await page.goto("/settings");
  const language = page.getByRole("combobox", { name: "Sprache" });
  expect(await language.inputValue()).toBe("de");
  await language.selectOption("");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
});

async function finishedJob(service: TestService, key: string): Promise<string> {
  const ask = async (path: string, asked = {}) => (await service.ask(path, { key, ...asked })).body;
  const list = "email\nann@polite.example-lab.com\neve@polite.example-lab.com\n";
  const preview = await ask("/bulk/upload/preview", { form: formWith(list, "liste.csv") });
  const { id } = await ask("/bulk/upload/confirm", {
    body: { upload_id: preview.upload_id, email_column: "email" },
  });
  await expect.poll(async () => (await ask(`/bulk/jobs/${id}`)).status).toBe("completed");
  return id;
}
