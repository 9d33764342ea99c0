/**
 * Creates the demo's live data through the public API: webhooks, checks of every kind, jobs in every state, and delivery
 * results for one of the lists. Existing data is left unchanged.
 */
import type { Job } from "@mailvet/contract";
import { type Client, createClient } from "@mailvet/sdk";
import { submitDeliveryResults } from "./delivery-results.ts";
import { DEMO } from "./demo-accounts.ts";
import { csvOf, type ListPlan } from "./lists.ts";

export type DemoSetupOptions = {
  /** Base URL of the service. */
  url: string;
  /** Base URL of the webhook receiver. */
  receiverUrl: string;
};

export async function setUpDemo({ url, receiverUrl }: DemoSetupOptions): Promise<void> {
  const client = createClient({ baseUrl: url, apiKey: DEMO.apiKey });
  const isNew = (await client.jobs.list({ limit: 1 })).total === 0;
  await readyWebhooks(client, receiverUrl);
  if (!isNew) return;
  for (const email of CHECKED) await client.validate(email);
  for (const { name, ...plan } of LISTS) await SCENARIOS[name](client, await begin(client, plan));
}

/** One endpoint that works and one that always fails. The receiver's port changes at each start, so URLs are updated. */
async function readyWebhooks({ webhooks }: Client, receiverUrl: string): Promise<void> {
  const wanted = [
    { description: "Order system", url: `${receiverUrl}/hooks` },
    { description: "Old reporting server", url: `${receiverUrl}/broken` },
  ];
  const known = await webhooks.list();
  for (const endpoint of wanted) {
    const same = known.find(({ description }) => description === endpoint.description);
    if (!same) await webhooks.create(endpoint);
    else if (same.url !== endpoint.url) await webhooks.update(same.id, { url: endpoint.url });
  }
}

const CHECKED = [
  "ann@polite.example-lab.com",
  "eve@polite.example-lab.com",
  "ann@open.example-lab.com",
  "annabel.lab@gmial.com",
  // Three refusals open the circuit breaker for this host.
  "ann@blocks.example-lab.com",
  "bob@blocks.example-lab.com",
  "carla.meyer@blocks.example-lab.com",
];

type Scenario = "is sent to" | "is saved" | "is cancelled" | "is paused" | "goes on";

/** The newest comes last, so it is first in the list of jobs. */
const LISTS: readonly (ListPlan & { name: Scenario })[] = [
  list("is sent to", { filename: "newsletter.csv", seed: 1, ordinary: 900, hasEdgeCases: true }),
  list("is saved", { filename: "spring-fair.csv", seed: 2, ordinary: 260 }),
  list("is cancelled", { filename: "old-customers.csv", seed: 3, ordinary: 300, slow: 200 }),
  list("is paused", { filename: "partner-leads.csv", seed: 4, ordinary: 420, slow: 180 }),
  list("goes on", { filename: "crm-export.csv", seed: 5, ordinary: 500, slow: 600, hasDeferred: true }),
];

function list(name: Scenario, plan: Partial<ListPlan> & Pick<ListPlan, "filename" | "seed" | "ordinary">) {
  return { name, slow: 0, hasEdgeCases: false, hasDeferred: false, ...plan };
}

async function begin({ jobs }: Client, plan: ListPlan): Promise<Job> {
  const preview = await jobs.upload({ name: plan.filename, content: new Blob([csvOf(plan)]) });
  return jobs.confirm({ uploadId: preview.upload_id, emailColumn: preview.suggested_email_column });
}

const COMPLETES_WITHIN_MS = 540_000;
/** Enough that the quick rows of a list are done. */
const SOME_ROWS = 100;

const completed = ({ jobs }: Client, { id }: Job) =>
  jobs.wait(id, { signal: AbortSignal.timeout(COMPLETES_WITHIN_MS) });

const SCENARIOS: Readonly<Record<Scenario, (client: Client, job: Job) => Promise<unknown>>> = {
  "is saved": async (client, job) => {
    await completed(client, job);
    await client.lists.create({
      job_id: job.id,
      name: "Spring fair",
      tags: ["events"],
      schedule: "weekly",
      stale_after_days: 30,
    });
  },
  "is sent to": async (client, job) => submitDeliveryResults(client, await completed(client, job)),
  "is cancelled": async (client, job) => {
    await untilSome(client, job);
    await client.jobs.cancel(job.id);
  },
  "is paused": async (client, job) => {
    await untilSome(client, job);
    await client.jobs.pause(job.id);
  },
  "goes on": async () => {},
};

async function untilSome({ jobs }: Client, { id }: Job): Promise<void> {
  for await (const { processed } of jobs.events(id, { signal: AbortSignal.timeout(COMPLETES_WITHIN_MS) })) {
    if (processed >= SOME_ROWS) return;
  }
}
