/** Accessibility of every page of an account. */
import { createClient } from "@mailvet/sdk";
import { expect } from "vitest";
import { createJobs, findingsOn, LIST, SLOW_DOMAIN } from "./axe.ts";
import { journeysIn } from "./journey.ts";

const journey = journeysIn({ domains: SLOW_DOMAIN });

journey("the pages of an empty account have no serious violations", async ({ service, visit }) => {
  const { cookie } = await service.openAccount({ credits: 0 });
  const { page, open } = await visit({ cookie });
  const findings: string[] = [];
  for (const path of ["/", "/validate", "/bulk", "/lists", "/webhooks", "/usage"]) {
    await open(path);
    findings.push(...(await findingsOn(page, path)));
  }
  expect(findings).toEqual([]);
});

journey("the pages of an account with data have no serious violations", async ({ service, visit }) => {
  const { cookie, key } = await service.openAccount({ credits: 1000 });
  const client = createClient({ baseUrl: service.url, apiKey: key });
  const { doneId, runningId } = await createJobs(client);
  const { id: listId } = await client.lists.create({ job_id: doneId, name: "Customers", tags: ["crm"] });
  const { page, open } = await visit({ cookie });
  const findings: string[] = [];
  for (const path of [
    "/",
    "/bulk",
    `/bulk/${doneId}`,
    `/bulk/${runningId}`,
    "/lists",
    `/lists/${listId}`,
    "/usage",
    "/audit",
    "/settings",
  ]) {
    await open(path);
    findings.push(...(await findingsOn(page, path)));
  }
  expect(findings).toEqual([]);
});

journey("results and previews have no serious violations", async ({ service, visit }) => {
  const { cookie } = await service.openAccount();
  const { page, open } = await visit({ cookie });
  const findings: string[] = [];
  await open("/validate");
  for (const name of ["valid", "greylisted", "possible-typo"]) {
    await page.getByRole("button", { name: `${name}@`, exact: true }).click();
    await page.getByRole("article", { name: `Result for ${name}@mailvet.test` }).waitFor();
    findings.push(...(await findingsOn(page, `/validate ${name}`)));
  }
  await open("/bulk");
  await page
    .getByLabel("File with emails")
    .setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(LIST) });
  await page.getByRole("button", { name: "Start validation" }).waitFor();
  findings.push(...(await findingsOn(page, "/bulk with a preview")));
  expect(findings).toEqual([]);
});
