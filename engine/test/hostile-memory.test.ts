/** Servers that send without end: memory stays within 64 MiB of where it was. */
import { binaryGarbage, endlessBanner, endlessLine, hugeLines, mailDomain, type Temper } from "@mailvet/lab";
import { expect, test } from "vitest";
import { openStory } from "./stories/story.ts";

const MEBIBYTE = 1024 * 1024;

const FLOODS: Record<string, Temper> = {
  "banner.test": endlessBanner,
  "line.test": endlessLine({ at: "banner" }),
  "late.test": endlessLine({ at: "rcpt" }),
  "huge.test": hugeLines({ at: "ehlo", lineBytes: 2 * MEBIBYTE }),
  "noise.test": binaryGarbage({ at: "rcpt", sizeBytes: MEBIBYTE / 4 }),
};

test("floods at every stage, from many servers at once, do not increase memory", async () => {
  const world = Object.fromEntries(
    Object.entries(FLOODS).flatMap(([name, temper]) =>
      Array.from({ length: 6 }, (_, i) => [`n${i}.${name}`, mailDomain({ users: ["ann"], temper })]),
    ),
  );
  await using story = await openStory(world);
  const emails = Object.keys(world).map((domain) => `ann@${domain}`);
  await story.verdictsOn(emails.slice(0, 4)); // everything is loaded and warm

  const idleBytes = process.memoryUsage().rss;
  let peakBytes = idleBytes;
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
  }, 5);
  const verdicts = await story.verdictsOn(emails);
  await story.end();
  clearInterval(watch);
  expect(new Set(verdicts)).toEqual(new Set(["unknown smtp_protocol_error"]));
  expect(peakBytes - idleBytes).toBeLessThan(64 * MEBIBYTE); // the servers' side is included
});
