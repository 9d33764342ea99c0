import { afterEach, expect, test } from "vitest";
import { HTTP_DEFAULTS } from "../http-settings.ts";
import { createLoadShedding, type LoadShedding } from "./load-shedding.ts";
import { RequestLifetime } from "./request-lifetime.ts";

let load: LoadShedding;
afterEach(() => load.close());

test("a request that was queued too long is refused, and does not count as in flight", () => {
  load = createLoadShedding({ ...HTTP_DEFAULTS, maxQueueDelayMs: 60_000 });
  load.admit(new RequestLifetime(performance.now()));
  const late = new RequestLifetime(performance.now() - 61_000);
  expect(() => load.admit(late)).toThrow(expect.objectContaining({ code: "overloaded" }));
  expect(load.inFlight).toBe(1);
});
