import { MailvetProblem, MailvetUnreachable } from "@mailvet/sdk";
import { expect, test } from "vitest";
import { ServiceFailure, serviceFrom } from "./service.ts";

const KEY = "mv_live_secret";
const { explain } = serviceFrom({ service: "https://shop.io", apiKey: KEY })!;

function problem(
  code: string,
  more: { required?: number; available?: number; found?: number; limit?: number } = {},
  retryAfterSeconds?: number,
) {
  const document = { type: "", title: "", status: 400, detail: "Says why.", request_id: "r-1", ...more };
  return new MailvetProblem({ ...document, code: code as "internal_error" }, retryAfterSeconds);
}

test.for([
  [problem("invalid_api_key"), "check that MAILVET_API_KEY is a valid key"],
  [
    problem("insufficient_credits", { required: 1000, available: 3 }),
    "1,000 credits are needed and 3 are available",
  ],
  [problem("api_access_not_included"), "ask your administrator"],
  [problem("insufficient_scope"), '"bulk" for lists, "read" for jobs and results'],
  [problem("rate_limited", {}, 90), "try again in 90 s"],
  [problem("overloaded"), "try again later"],
  [
    problem("too_many_emails", { found: 200_000, limit: 100_000 }),
    "found 200,000, limit 100,000: split the file",
  ],
  [problem("payload_too_large"), "split the file"],
  [problem("not_a_table"), "at most 65,536 characters per cell"],
  [problem("results_not_ready"), "mailvet job show ID --wait"],
  [problem("job_not_found"), "mailvet job list"],
  [problem("something_new"), "service log for request r-1"],
  [new MailvetUnreachable("no_connection", "No connection: refused"), "check that the service is running"],
  [new MailvetUnreachable("redirected", "It is at another address"), "the URL it redirects to"],
  [new MailvetUnreachable("invalid_response", "Not ours"), "check that this is the URL of a Mailvet service"],
] as const)("%s comes with advice", ([error, advice]) => {
  const explained = explain(error) as Error;
  expect(explained).toBeInstanceOf(ServiceFailure);
  const [message, shownAdvice] = explained.message.split("\n  → ");
  expect(message).toContain(error.message);
  expect(shownAdvice).toContain(advice);
});

test("other errors are returned unchanged", () => {
  const error = new Error("the disk is gone");
  expect(explain(error)).toBe(error);
});

test("without a service URL there is no service", () => {
  expect(serviceFrom({ service: "", apiKey: KEY })).toBeUndefined();
  expect(serviceFrom({})).toBeUndefined();
});

test.for([
  ["http://shop.io", undefined, "set MAILVET_API_KEY"],
  ["http://shop.io", "", "set MAILVET_API_KEY"],
  ["shop.io", KEY, "must start with http:// or https://"],
  ["localhost:8080", KEY, "must start with http:// or https://"],
  ["http://ann:secret@shop.io", KEY, "--service must be a URL"],
  ["http://shop.io", "two words", "the API key must be printable"],
] as const)("a service at %s with the key %s is rejected", ([service, apiKey, why]) => {
  const parse = () => serviceFrom({ service, ...(apiKey === undefined ? {} : { apiKey }) });
  expect(parse).toThrow(
    expect.objectContaining({ code: "mailvet.service", message: expect.stringContaining(why) }),
  );
});
