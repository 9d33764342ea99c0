import { expect, test } from "vitest";
import { ALL_SUB_STATUSES, recommendationOf, STATUS_OF } from "./verdict.ts";

test("valid addresses are sent to, invalid ones never, and undecided ones are not refused", () => {
  for (const sub_status of ALL_SUB_STATUSES) {
    const status = STATUS_OF[sub_status];
    const recommendation = recommendationOf({ sub_status, safe_to_send: status === "valid" });
    if (status === "valid") expect(recommendation).toBe("send");
    if (status === "invalid") expect(recommendation).toBe("do_not_send");
    if (status === "risky") expect(recommendation).not.toBe("send");
    if (status === "unknown") expect(["retry", "caution"]).toContain(recommendation);
  }
});

test("a valid address that complained before is not sent to", () => {
  expect(recommendationOf({ sub_status: "", safe_to_send: false })).toBe("do_not_send");
});

test("a verdict that a newer service has added calls for caution", () => {
  expect(recommendationOf({ sub_status: "from_the_future", safe_to_send: false })).toBe("caution");
});
