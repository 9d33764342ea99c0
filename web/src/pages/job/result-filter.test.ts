import { expect, test } from "vitest";
import { filterIn } from "./result-filter.ts";

test("the filter is read from the URL", () => {
  const search = {
    status: "valid,risky",
    sub_status: "",
    safe_to_send: "false",
    min_score: "0",
    max_score: "100",
    provider: "google",
    q: "ann",
    sort: "-score",
  };
  expect(filterIn({ ...search, domain: "", row: "7" })).toEqual(search);
});

test.for([
  { status: "good" },
  { sub_status: "mailbox_gone" },
  { safe_to_send: "maybe" },
  { min_score: "-1" },
  { min_score: "1.5" },
  { max_score: "high" },
  { sort: "name" },
])("%j, which the API does not know, is ignored", (search) => {
  expect(filterIn(search)).toEqual({});
});

test("of several values those that the API knows are used", () => {
  expect(filterIn({ status: "valid,good,risky" })).toEqual({ status: "valid,risky" });
});
