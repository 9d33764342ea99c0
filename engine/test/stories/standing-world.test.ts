/** The standing world of `npm run lab` promises a verdict for each of its samples; the engine keeps the promise. */
import { SAMPLE_WORLD, SAMPLES } from "@mailvet/lab";
import { expect, test } from "vitest";
import { openStory } from "./story.ts";

test("every sample of the standing world gets the verdict it is there for", async () => {
  await using story = await openStory(SAMPLE_WORLD, { probeTimeoutMs: 8_000, dnsTimeoutMs: 8_000 });
  const told = await Promise.all(
    SAMPLES.map(async ({ email }) => ({ email, verdict: await story.verdictOn(email) })),
  );
  expect(told).toEqual(
    SAMPLES.map(({ email, status, subStatus }) => ({
      email,
      verdict: subStatus === "" ? status : `${status} ${subStatus}`,
    })),
  );
});
