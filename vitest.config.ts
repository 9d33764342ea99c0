import { defineConfig } from "vitest/config";

// Tests run on the sources of every workspace (the "source" condition of their exports), not on dist.
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["*/src/**/*.test.ts", "*/test/**/*.test.ts", "scripts/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Most stories wait for sockets and timers, so more of them run than there are cores.
    maxWorkers: 3,
  },
});
