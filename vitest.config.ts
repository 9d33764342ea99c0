import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Tests run on the sources of every workspace (the "source" condition of their exports), not on dist.
const onSources = { resolve: { conditions: ["source"] }, ssr: { resolve: { conditions: ["source"] } } };

/** The one limit for every wait in a test. It only catches hangs: a busy machine may be thirty times slower. */
const LIMIT_MS = 600_000;
const common = {
  env: { ENGINE_THREAD_CODE: "built" }, // by scripts/build-before-tests.ts; see engine/src/threads/engine-thread.ts
  testTimeout: LIMIT_MS,
  hookTimeout: LIMIT_MS,
  expect: { poll: { timeout: LIMIT_MS - 10_000 } }, // expires before the test does, so that the report shows the last value
};

// Loading the modules for each of two hundred files took longer than the tests: files share a process, one at a time, and
// so must not leave state behind in it.
const inOneProcess = { isolate: false };

/**
 * Not part of `npm test`, because they would take a fifth of its time: CI runs them, and `npm run test:long`. Signals at any
 * moment of a start, a full disk, failover of the database, object storage, tracing, the stories of the engine once more in
 * threads, and short runs of the benchmarks.
 */
const LONG = [
  "service/test/{interrupt,full-disk,failover,blobs,tracing}.test.ts",
  "engine/test/threads/stories-in-threads.test.ts",
  "engine/test/bench/{shapes,without-peers}.test.ts",
];

/** Tests that start programs and wait for them; and that of the password hash at its real cost. */
const PROGRAMS = [
  "service/test/{start,left-behind,service-kill,without-route}.test.ts",
  "service/src/accounts/password.test.ts",
  "embedded-postgres/test/*.test.ts",
];

/**
 * The files that take longest start first, or they would run alone in the end. Of those of "service", files that mostly
 * wait and files that mostly compute take turns.
 */
const LONGEST = [
  "service/test/interrupt.test.ts",
  "engine/test/threads/stories-in-threads.test.ts",
  "service/test/full-disk.test.ts",
  "service/test/failover.test.ts",
  "service/test/blobs.test.ts",
  "service/test/tracing.test.ts",
  "engine/test/bench/shapes.test.ts",
  "service/test/provider-wait.test.ts",
  "service/test/start.test.ts",
  "service/test/service-kill.test.ts",
  "embedded-postgres/test/crash.test.ts",
  "engine/test/stories/limits.test.ts",
  "engine/test/doctor.test.ts",
  "engine/test/dns-resolver.test.ts",
  "engine/test/stories/verdicts.test.ts",
  "engine/test/stories/politeness.test.ts",
  "engine/test/threads/engine-threads.test.ts",
  "engine/test/priority.test.ts",
  "engine/test/list-refresh.test.ts",
  "service/test/errors.test.ts",
  "service/test/notification-emails.test.ts",
  "service/test/isolation.test.ts",
  "service/test/passkeys.test.ts",
  "service/test/idempotency-endpoints.test.ts",
  "service/test/maintenance.test.ts",
  "service/test/openapi.test.ts",
  "service/test/egress-identities.test.ts",
  "service/test/queue-claims.test.ts",
  "service/test/pubsub.test.ts",
  "service/test/recheck-jobs.test.ts",
  "service/test/adjudication.test.ts",
  "service/test/jobs-live.test.ts",
  "service/test/validation-options.test.ts",
  "service/test/isolation-mode.test.ts",
  "service/test/queue-processes.test.ts",
  "service/test/idempotency-property.test.ts",
  "sdk/test/jobs.test.ts",
  "service/test/downloads.test.ts",
  "service/test/queue-worker.test.ts",
];

/** "programs" compute while files of "unit" wait. */
const PROJECTS = ["pages", "browser", "long", "programs", "unit", "service"];

/**
 * Files wait for sockets, timers and other processes, so more of them run at once than there are cores. "unit" waits most,
 * and runs first with "programs"; too many processes cost the others more CPU time than they save (on two cores, six took a
 * quarter more than four). No more than 12, because all share one PostgreSQL with 300 connections.
 */
const workers = (atLeast: number) => Math.min(12, Math.max(atLeast, availableParallelism()));
const mostlyWaits = { maxWorkers: workers(8), sequence: { groupOrder: 0 } };
const mostlyComputes = { maxWorkers: workers(4), sequence: { groupOrder: 1 } };

/** Each project's longest files first. Projects stay together, because a worker is used again by the same project only. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return rank < 0 ? LONGEST.length : rank;
    };
    const placeOf = (file: TestSpecification) => PROJECTS.indexOf(file.project.name);
    return sorted.sort((a, b) => placeOf(a) - placeOf(b) || rankOf(a) - rankOf(b));
  }
}

/** For the tests that open the service in their own process. */
const withService = {
  ...onSources,
  resolve: {
    ...onSources.resolve,
    alias: {
      "@node-rs/argon2": new URL("service/test/quick-argon2.ts", import.meta.url).pathname,
      "n8n-workflow": new URL("service/test/n8n-workflow.ts", import.meta.url).pathname,
    },
  },
};

/** The client of MCP uses a package with a "source" condition of its own, whose TypeScript Node cannot load. */
const MCP_CLIENT = [/@modelcontextprotocol\/sdk\/dist\/esm\/client\/streamableHttp/, /eventsource-parser/];

/** Accessibility (axe) and load budget of every web page. A project of its own, because test:starved leaves it out. */
const PAGE_BY_PAGE = ["web/test/{axe-*,budget}.test.ts"];

const inBrowser = {
  ...common,
  globalSetup: ["scripts/build-before-tests.ts", "web/test/browser-setup.ts"],
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...withService,
        test: {
          ...inOneProcess,
          ...inBrowser,
          ...mostlyComputes,
          name: "browser",
          include: ["web/test/**/*.test.ts"],
          exclude: [...PAGE_BY_PAGE, "**/node_modules/**"],
        },
      },
      {
        ...withService,
        test: { ...inOneProcess, ...inBrowser, ...mostlyComputes, name: "pages", include: PAGE_BY_PAGE },
      },
      {
        ...onSources,
        test: {
          ...common,
          ...inOneProcess,
          ...mostlyWaits,
          name: "unit",
          include: ["*/src/**/*.test.ts", "*/test/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: [
            "service/**",
            "sdk/test/**",
            "web/test/**",
            "embedded-postgres/test/**",
            ...LONG,
            "**/node_modules/**",
          ],
          globalSetup: "scripts/build-before-tests.ts",
        },
      },
      {
        ...onSources,
        test: {
          ...common,
          testTimeout: 2 * LIMIT_MS, // a test starts the service several times
          ...mostlyWaits,
          name: "programs",
          include: PROGRAMS,
          globalSetup: "scripts/build-before-tests.ts",
        },
      },
      {
        ...withService,
        test: {
          ...common,
          testTimeout: 2 * LIMIT_MS,
          ...mostlyComputes,
          name: "long",
          include: LONG,
          globalSetup: [
            "scripts/build-before-tests.ts",
            "service/test/shared-postgres.ts",
            "service/test/pgbouncer-setup.ts",
          ],
        },
      },
      {
        ...withService,
        test: {
          ...common,
          ...inOneProcess,
          ...mostlyComputes,
          name: "service",
          server: { deps: { inline: MCP_CLIENT } },
          include: ["service/src/**/*.test.ts", "service/test/**/*.test.ts", "sdk/test/**/*.test.ts"],
          exclude: [...PROGRAMS, ...LONG, "**/node_modules/**"],
          globalSetup: ["scripts/build-before-tests.ts", "service/test/shared-postgres.ts"],
        },
      },
    ],
  },
});
