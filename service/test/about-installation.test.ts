/** Public information about an installation, and the references of ledger entries. */
import { createClient } from "@mailvet/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATOR_KEY, openService, type TestService } from "./service.ts";

let service: TestService;
beforeAll(async () => {
  service = await openService({
    env: {
      SIGN_UP: "closed",
      MAIL_URL: "smtp://postmaster:hidden@127.0.0.1:9",
      RETENTION_DAYS: "12",
      MAX_CSV_EMAILS: "345",
      MAX_UPLOAD_MB: "2",
    },
  });
});
afterAll(() => service[Symbol.asyncDispose]());

test("public information says whether mail works, but not through which server", async () => {
  expect(await createClient({ baseUrl: service.url }).about()).toEqual({
    name: "Mailvet",
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    sign_up: "closed",
    mail: true,
    retention_days: 12,
    max_csv_emails: 345,
    max_upload_bytes: 2 * 1024 * 1024,
  });
});

test("the ledger distinguishes jobs, requests and notes, also after the job is deleted", async () => {
  const client = createClient({ baseUrl: service.url, apiKey: OPERATOR_KEY });
  const { request_id } = await client.validate("valid@mailvet.test");
  const { upload_id } = await client.jobs.upload({ name: "list.csv", content: new Blob([LIST]) });
  const { id } = await client.jobs.confirm({ uploadId: upload_id, emailColumn: "email" });
  await client.jobs.wait(id, { signal: AbortSignal.timeout(540_000) });
  await client.jobs.delete(id);

  const { ledger } = await client.credits({ limit: 100 });
  expect(ledger.map(({ kind, reference_kind, reference }) => [kind, reference_kind, reference])).toEqual([
    ["settle", "job", id],
    ["reserve", "job", id],
    ["settle", "request", request_id],
    ["grant", "note", "Welcome"],
  ]);
});

const LIST = "email\nvalid@mailvet.test\ncatch-all@mailvet.test\n";
