import { afterEach, expect, test } from "vitest";
import { HTTP_DEFAULTS } from "../http-settings.ts";
import { createLoad, type Load } from "./load-shedding.ts";
import { Visit } from "./request-lifetime.ts";

let load: Load;
afterEach(() => load.close());

test("a request that waited too long for its turn is refused, and does not count as under way", () => {
  load = createLoad({ ...HTTP_DEFAULTS, maxWaitMs: 60_000 });
  load.admit(new Visit(performance.now()));
  const late = new Visit(performance.now() - 61_000);
  expect(() => load.admit(late)).toThrow(expect.objectContaining({ code: "overloaded" }));
  expect(load.underWay).toBe(1);
});
