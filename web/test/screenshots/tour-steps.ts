/** The steps of the tour through the demo, in one tab: what is done, and what the picture shows. */
import type { Page } from "playwright-core";
import { GUESTS } from "./shots.ts";

export type TourStep = {
  /** Of the picture. */
  name: string;
  title: string;
  caption: string;
  /** Resolves when the page is complete. */
  go(page: Page): Promise<unknown>;
};

export const TOUR: readonly TourStep[] = [
  {
    name: "validate",
    title: "Check one address",
    caption:
      "The recommendation first, then how it was reached: syntax, reputation lists, DNS, the mail server. No message is sent.",
    async go(page) {
      await page.goto("/validate");
      await page.getByLabel("Email address").fill("ann@polite.example-lab.com");
      await page.getByRole("button", { name: "Check (1 credit)" }).click();
      await page.getByRole("article", { name: "Result for ann@polite.example-lab.com" }).waitFor();
    },
  },
  {
    name: "unknown",
    title: "Unknown is not invalid",
    caption:
      "A server that greylists the check says nothing about the mailbox. The result names the reason and when to try again; Mailvet does so by itself.",
    async go(page) {
      await page.getByLabel("Email address").fill("ann@grey.example-lab.com");
      await page.getByRole("button", { name: "Check (1 credit)" }).click();
      await page.getByRole("article", { name: "Result for ann@grey.example-lab.com" }).waitFor();
    },
  },
  {
    name: "upload",
    title: "Upload a list",
    caption:
      "CSV, XLSX or ODS. The preview finds the column with the emails, counts duplicates, and shows the cost before anything is charged.",
    async go(page) {
      await page.goto("/bulk");
      await page
        .getByLabel("File with emails")
        .setInputFiles({ name: "guest-list.csv", mimeType: "text/csv", buffer: Buffer.from(GUESTS) });
      await page.getByRole("heading", { name: "guest-list.csv" }).waitFor();
    },
  },
  {
    name: "outcome",
    title: "See the outcome",
    caption: "What is safe to send to, what bounces, and why. Every row keeps its evidence.",
    async go(page) {
      await page.goto("/bulk");
      await page.getByRole("link", { name: "newsletter.csv" }).click();
      await page.getByRole("heading", { name: "Results" }).first().waitFor();
    },
  },
  {
    name: "download",
    title: "Download your file",
    caption:
      "Your own rows and columns with the verdicts appended: all of them, or only those that are safe to send to.",
    async go(page) {
      await page.getByRole("button", { name: "Download" }).first().click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "list",
    title: "Keep the list clean",
    caption: "A saved list is checked again daily, weekly or monthly, and an email tells what changed.",
    async go(page) {
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Save as list" }).first().click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "key",
    title: "Create an API key",
    caption: "Live or test, with the scopes it needs. A test key simulates every verdict and costs nothing.",
    async go(page) {
      await page.goto("/keys");
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "docs",
    title: "Call the API",
    caption:
      "The reference is part of every installation: each endpoint with examples in your language, tried out from the page with a test key.",
    async go(page) {
      await page.goto("/docs#tag/validation/POST/validation/single");
      await page.getByRole("heading", { name: "Validate an address" }).first().waitFor();
    },
  },
];

/** docs/tour.md */
export function tourPage(): string {
  const sections = TOUR.map(
    ({ title, caption, name }, index) =>
      `## ${index + 1}. ${title}\n\n${caption}\n\n![${title}](tour/${fileName(index, name)})\n`,
  );
  return `# Tour\n\nMailvet in a minute: ${TOUR.length} steps through the demo, from one address to the API. \`npm run demo\` starts it on your\nmachine; \`npm run tour\` makes these pictures.\n\n${sections.join("\n")}`;
}

export const fileName = (index: number, name: string) => `${String(index + 1).padStart(2, "0")}-${name}.webp`;
