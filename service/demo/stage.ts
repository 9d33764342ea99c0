/**
 * What happens when the demonstration begins, through the API as any customer has it: webhooks, checks of every kind, jobs
 * in every state, and what became of the messages to one of the lists. Where it was done before, it is left as it is.
 */
import type { Job } from "@mailvet/contract";
import { type Client, createClient } from "@mailvet/sdk";
import { tellAftermath } from "./aftermath.ts";
import { csvOf, type ListPlan } from "./lists.ts";
import { DEMO } from "./people.ts";

export type StageOptions = {
  /** Of the service. */
  url: string;
  /** Who hears the webhooks. */
  receiverUrl: string;
};

export async function setStage({ url, receiverUrl }: StageOptions): Promise<void> {
  const client = createClient({ baseUrl: url, apiKey: DEMO.apiKey });
  const isNew = (await client.jobs.list({ limit: 1 })).total === 0;
  await readyWebhooks(client, receiverUrl);
  if (!isNew) return;
  for (const email of CHECKED) await client.validate(email);
  for (const { name, ...plan } of LISTS) await ACTS[name](client, await begin(client, plan));
}

/** One that hears everything, and one that nothing ever arrives at. Their port is another one at each start. */
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
  // Refused three times, we leave it alone for a while.
  "ann@blocks.example-lab.com",
  "bob@blocks.example-lab.com",
  "carla.meyer@blocks.example-lab.com",
];

type Act = "is sent to" | "completes" | "is cancelled" | "is paused" | "goes on";

/** The newest comes last, and so stands first in the list of jobs. */
const LISTS: readonly (ListPlan & { name: Act })[] = [
  list("is sent to", { filename: "newsletter.csv", seed: 1, ordinary: 900, hasOddOnes: true }),
  list("completes", { filename: "spring-fair.csv", seed: 2, ordinary: 260 }),
  list("is cancelled", { filename: "old-customers.csv", seed: 3, ordinary: 300, slow: 200 }),
  list("is paused", { filename: "partner-leads.csv", seed: 4, ordinary: 420, slow: 180 }),
  list("goes on", { filename: "crm-export.csv", seed: 5, ordinary: 500, slow: 600, hasPatientOnes: true }),
];

function list(name: Act, plan: Partial<ListPlan> & Pick<ListPlan, "filename" | "seed" | "ordinary">) {
  return { name, slow: 0, hasOddOnes: false, hasPatientOnes: false, ...plan };
}

async function begin({ jobs }: Client, plan: ListPlan): Promise<Job> {
  const preview = await jobs.upload({ name: plan.filename, content: new Blob([csvOf(plan)]) });
  return jobs.confirm({ uploadId: preview.upload_id, emailColumn: preview.suggested_email_column });
}

const COMPLETES_WITHIN_MS = 60_000;
/** By then the quick ones of a list are through. */
const SOME_ROWS = 100;

const completed = ({ jobs }: Client, { id }: Job) =>
  jobs.wait(id, { signal: AbortSignal.timeout(COMPLETES_WITHIN_MS) });

const ACTS: Readonly<Record<Act, (client: Client, job: Job) => Promise<unknown>>> = {
  completes: completed,
  "is sent to": async (client, job) => tellAftermath(client, await completed(client, job)),
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
