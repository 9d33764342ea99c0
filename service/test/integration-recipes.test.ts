/** The requests of docs/integrations.md, sent to the running service: each gets the documented response. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openService, type TestService } from "./service.ts";
import { openReceiver, type Receiver } from "./webhooks-receiver.ts";

const PAGE = readFileSync(new URL("../../docs/integrations.md", import.meta.url), "utf8");

type Block = { language: string; text: string };
const blocks: Block[] = [...PAGE.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", text = ""]) => ({ language, text: text.trim() }),
);
const recipes = blocks.flatMap(({ language, text }, index) => {
  if (language !== "http") return [];
  const [head = "", body] = text.split("\n\n");
  const [method = "", path = ""] = head.split("\n", 1)[0]!.split(" ");
  return [{ name: `${method} ${path}`, method, path, body, response: blocks[index + 1]! }];
});

let service: TestService;
let receiver: Receiver;
let key: string;
beforeAll(async () => {
  [service, receiver] = await Promise.all([openService(), openReceiver()]);
  const account = await service.openAccount();
  key = (await account.makeKey({ mode: "test" })).key;
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await receiver.close();
});

/** Differ from run to run; compared by their type. */
const VARIABLE = new Set([
  "id",
  "request_id",
  "timestamp",
  "checked_at",
  "created_at",
  "started_at",
  "completed_at",
  "expires_at",
  "response_time_ms",
  "rate_per_second",
  "plan_tier",
  "results_url",
]);

function comparable(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document), (name, value) =>
    VARIABLE.has(name) && typeof value !== "object" ? `a ${typeof value}` : value,
  );
}

async function send(method: string, path: string, body?: string): Promise<string> {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return text;
}

test("every request gets the documented response, and the event of the job is the documented one", async () => {
  expect(recipes.map(({ name }) => name)).toHaveLength(5);
  let jobId = "";
  for (const { name, method, path, body, response } of recipes) {
    const isJob = path === "/api/v1/bulk/jobs";
    if (isJob) await send("POST", "/api/v1/webhooks", JSON.stringify({ url: receiver.url }));
    const text = await send(method, path.replace("{job_id}", jobId), body);
    if (response.language === "csv") {
      expect(text.trim().replaceAll("\r", ""), name).toBe(response.text);
      continue;
    }
    expect(comparable(JSON.parse(text)), name).toEqual(comparable(JSON.parse(response.text)));
    if (!isJob) continue;
    jobId = JSON.parse(text).id;
    await expect.poll(() => receiver.received.length).toBe(1);
    const event = blocks.find(({ language }) => language === "json event")!;
    const { body: message } = receiver.received[0]!;
    expect(comparable(JSON.parse(message))).toEqual(comparable(JSON.parse(event.text)));
  }
});

test("the code for HubSpot returns its output fields, and throws on a refusal", async () => {
  const code = blocks.find(({ language }) => language === "js")!.text;
  const run = async (apiKey: string) => {
    const exports: { main?: (event: object, callback: (answer: object) => void) => Promise<void> } = {};
    const environment = { env: { MAILVET_SERVICE: service.url, MAILVET_API_KEY: apiKey } };
    new Function("exports", "process", code)(exports, environment);
    const answers: object[] = [];
    const inputFields = { email: "mailbox-full@example.com" };
    await exports.main!({ inputFields }, (answer) => answers.push(answer));
    return answers;
  };
  expect(await run(key)).toEqual([
    {
      outputFields: {
        status: "risky",
        sub_status: "mailbox_full",
        recommendation: "retry",
        score: expect.any(Number),
      },
    },
  ]);
  await expect(run("mv_test_unknown")).rejects.toThrow(/^invalid_api_key: /);
});
