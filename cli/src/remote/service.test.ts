import { MailvetProblem, MailvetUnreachable } from "@mailvet/sdk";
import { expect, test } from "vitest";
import { ServiceFailure, serviceFrom } from "./service.ts";

const KEY = "mv_live_visible_to_nobody";
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
  [problem("invalid_api_key"), "see that MAILVET_API_KEY holds a key"],
  [
    problem("insufficient_credits", { required: 1000, available: 3 }),
    "1,000 credits were needed and 3 are there",
  ],
  [problem("api_access_not_included"), "its operator can change the plan"],
  [problem("insufficient_scope"), '"bulk" for lists'],
  [problem("rate_limited", {}, 90), "try again in 90 s"],
  [problem("overloaded"), "try again later"],
  [
    problem("too_many_emails", { found: 200_000, limit: 100_000 }),
    "there are 200,000 and may be 100,000: split the file",
  ],
  [problem("payload_too_large"), "split the file"],
  [problem("not_a_table"), "save it as CSV"],
  [problem("results_not_ready"), "mailvet job show ID --wait"],
  [problem("job_not_found"), "mailvet job list"],
  [problem("something_new"), "log has more under r-1"],
  [new MailvetUnreachable("no_connection", "No connection: refused"), "see that the service runs"],
  [new MailvetUnreachable("redirected", "It is at another address"), "give the address it leads to"],
  [new MailvetUnreachable("odd_answer", "Not ours"), "is that the address of a Mailvet service?"],
] as const)("%s comes with what to do", ([error, advice]) => {
  const explained = explain(error) as Error;
  expect(explained).toBeInstanceOf(ServiceFailure);
  const [what, whatToDo] = explained.message.split("\n  → ");
  expect(what).toContain(error.message);
  expect(whatToDo).toContain(advice);
});

test("what is no failure of the service stays as it is", () => {
  const error = new Error("the disk is gone");
  expect(explain(error)).toBe(error);
});

test("nobody is asked when no service is named", () => {
  expect(serviceFrom({ service: "", apiKey: KEY })).toBeUndefined();
  expect(serviceFrom({})).toBeUndefined();
});

test.for([
  ["http://shop.io", undefined, "set MAILVET_API_KEY"],
  ["http://shop.io", "", "set MAILVET_API_KEY"],
  ["shop.io", KEY, "must begin with http:// or https://"],
  ["localhost:8080", KEY, "must begin with http:// or https://"],
  ["http://ann:secret@shop.io", KEY, "--service must be an address"],
  ["http://shop.io", "two words", "the API key must be visible"],
] as const)("a service at %s with the key %s is bad usage", ([service, apiKey, why]) => {
  const named = () => serviceFrom({ service, ...(apiKey === undefined ? {} : { apiKey }) });
  expect(named).toThrow(
    expect.objectContaining({ code: "mailvet.service", message: expect.stringContaining(why) }),
  );
});
