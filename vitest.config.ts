import { defineConfig } from "vitest/config";

// Tests run on the sources of every workspace (the "source" condition of their exports), not on dist.
const onSources = { resolve: { conditions: ["source"] }, ssr: { resolve: { conditions: ["source"] } } };
const patience = { testTimeout: 20_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    // Most stories wait for sockets and timers, so more of them run than there are cores.
    maxWorkers: 3,
    projects: [
      {
        ...onSources,
        test: {
          ...patience,
          name: "house",
          // Loading the engine for each of a hundred files took longer than testing them.
          isolate: false,
          include: ["*/src/**/*.test.ts", "*/test/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: ["service/**", "sdk/test/**", "web/test/**", "**/node_modules/**"],
          globalSetup: "scripts/build-before-tests.ts",
        },
      },
      {
        ...onSources,
        test: {
          ...patience,
          name: "service",
          include: ["service/src/**/*.test.ts", "service/test/**/*.test.ts", "sdk/test/**/*.test.ts"],
          globalSetup: ["scripts/build-before-tests.ts", "service/test/shared-postgres.ts"],
        },
      },
      {
        ...onSources,
        test: {
          name: "browser",
          include: ["web/test/**/*.test.ts"],
          // A browser shares two cores with whatever else is being tested.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
          globalSetup: ["scripts/build-before-tests.ts", "web/test/browser-setup.ts"],
        },
      },
    ],
  },
});
