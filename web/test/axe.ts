/** Checks a page with axe in both colour schemes, and makes the data that pages show. */
import { AxeBuilder } from "@axe-core/playwright";
import { answersSlowly, mailDomain } from "@mailvet/lab";
import type { Client } from "@mailvet/sdk";
import type { Page } from "playwright-core";

/** Keeps a job active during the check. */
export const SLOW_DOMAIN = {
  "slow.example-lab.com": mailDomain({ temper: answersSlowly({ delayMs: 60_000, at: "rcpt" }) }),
};

export const LIST = `email\n${Array.from({ length: 20 }, (_, n) => `valid+${n}@mailvet.test`).join("\n")}\n`;

/** A completed job and an active one, at SLOW_DOMAIN. */
export async function createJobs({ jobs }: Client) {
  const start = async (content: string) => {
    const { upload_id } = await jobs.upload({ name: "list.csv", content: new Blob([content]) });
    return (await jobs.confirm({ uploadId: upload_id, emailColumn: "email" })).id;
  };
  const doneId = await start(`${LIST}mailbox-not-found@mailvet.test\ncatch-all@mailvet.test\n`);
  await jobs.wait(doneId, { signal: AbortSignal.timeout(540_000) });
  const runningId = await start(`${LIST}ann@slow.example-lab.com\n`);
  return { doneId, runningId };
}

const SERIOUS: readonly (string | null | undefined)[] = ["serious", "critical"];

/** Violations after the page has loaded. In the dark scheme only the contrast is checked. */
export async function findingsOn(page: Page, name: string): Promise<string[]> {
  await page.getByRole("heading", { level: 1, includeHidden: true }).first().waitFor({ state: "attached" });
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "hidden" });
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await colorSchemeApplied(page, colorScheme);
    const axe = new AxeBuilder({ page }).setLegacyMode();
    if (colorScheme === "dark") axe.withRules("color-contrast");
    const { violations } = await axe.analyze();
    for (const { id, impact, nodes } of violations.filter(({ impact }) => SERIOUS.includes(impact))) {
      const where = nodes.map(({ target, any }) => `${target} ${any[0]?.message ?? ""}`).join("\n    ");
      found.push(`${name}, ${colorScheme}: ${impact} ${id}\n    ${where}`);
    }
  }
  return found;
}

/**
 * Waits until the new colours are painted. An inherited colour starts a transition of its own in each child when the
 * parent's has ended, so the page is settled after two frames in a row without any.
 */
async function colorSchemeApplied(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: "attached" });
  await page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const transitions = () => document.getAnimations().filter((one) => one instanceof CSSTransition);
    for (let still = 0; still < 2; ) {
      await frame();
      const running = transitions();
      still = running.length > 0 ? 0 : still + 1;
      await Promise.allSettled(running.map(({ finished }) => finished));
    }
  })()`);
}
