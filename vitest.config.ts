import { defineConfig } from "vitest/config";

// Tests run on the sources of every workspace (the "source" condition of their exports), not on dist.
const onSources = { resolve: { conditions: ["source"] }, ssr: { resolve: { conditions: ["source"] } } };

/** The one limit to every wait in a test. It is a net for what hangs: on a busy machine everything takes ten times as long. */
const LIMIT_MS = 180_000;
const patience = {
  testTimeout: LIMIT_MS,
  hookTimeout: LIMIT_MS,
  expect: { poll: { timeout: LIMIT_MS - 10_000 } }, // gives up first, and then says what it saw
};

// Loading what is tested for each of two hundred files took longer than testing it: files share a process, one at a time,
// and so must leave nothing behind in it.
const inOneProcess = { isolate: false };

/** Stories of minutes that start programs and wait for them. */
const PROGRAMS = [
  "service/test/{start,interrupt,full-disk,left-behind,service-kill}.test.ts",
  "embedded-postgres/test/*.test.ts",
];

/** Every page of the web app, by axe and by the clock: minutes, and so not part of `npm test` (npm run test:browser). */
const PAGE_BY_PAGE = ["web/test/{axe,budget}.test.ts"];

const inBrowser = {
  ...patience,
  globalSetup: ["scripts/build-before-tests.ts", "web/test/browser-setup.ts"],
};

export default defineConfig({
  test: {
    // Most stories wait for sockets and timers, so more of them run than there are cores.
    maxWorkers: 4,
    // Projects run in the order of their names: the longest files come early, and the many short ones fill the cores to the end.
    projects: [
      {
        ...onSources,
        test: {
          ...inOneProcess,
          ...inBrowser,
          name: "browser",
          include: ["web/test/**/*.test.ts"],
          exclude: [...PAGE_BY_PAGE, "**/node_modules/**"],
        },
      },
      {
        ...onSources,
        test: { ...inOneProcess, ...inBrowser, name: "pages", include: PAGE_BY_PAGE },
      },
      {
        ...onSources,
        test: {
          ...patience,
          ...inOneProcess,
          name: "unit",
          include: ["*/src/**/*.test.ts", "*/test/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: [
            "service/**",
            "sdk/test/**",
            "web/test/**",
            "embedded-postgres/test/**",
            "**/node_modules/**",
          ],
          globalSetup: "scripts/build-before-tests.ts",
        },
      },
      {
        ...onSources,
        test: {
          ...patience,
          testTimeout: 5 * LIMIT_MS, // a story starts the service several times
          name: "programs",
          include: PROGRAMS,
          globalSetup: "scripts/build-before-tests.ts",
        },
      },
      {
        ...onSources,
        test: {
          ...patience,
          ...inOneProcess,
          name: "service",
          include: ["service/src/**/*.test.ts", "service/test/**/*.test.ts", "sdk/test/**/*.test.ts"],
          exclude: [...PROGRAMS, "**/node_modules/**"],
          globalSetup: ["scripts/build-before-tests.ts", "service/test/shared-postgres.ts"],
        },
      },
    ],
  },
});
