/** The standing world of `npm run lab` has an expected verdict for each of its samples. */
import { SAMPLE_WORLD, SAMPLES } from "@mailvet/lab";
import { expect, test } from "vitest";
import { openStory } from "./story.ts";

test("every sample of the standing world gets its expected verdict", async () => {
  await using story = await openStory(SAMPLE_WORLD, { probeTimeoutMs: 8_000, dnsTimeoutMs: 8_000 });
  const verdicts = await Promise.all(
    SAMPLES.map(async ({ email }) => ({ email, verdict: await story.verdictOn(email) })),
  );
  expect(verdicts).toEqual(
    SAMPLES.map(({ email, status, subStatus }) => ({
      email,
      verdict: subStatus === "" ? status : `${status} ${subStatus}`,
    })),
  );
});
