import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const MAX_BYTES = 8 * 1024;

test("the SDK adds at most 8 KiB to a web page", async () => {
  const client = fileURLToPath(new URL("../sdk/src/client.ts", import.meta.url));
  await using bundled = await rolldown({
    input: client,
    platform: "browser",
    resolve: { conditionNames: ["source"] },
  });
  const { output } = await bundled.generate({ minify: true });
  expect(gzipSync(output[0].code).length).toBeLessThanOrEqual(MAX_BYTES);
});
