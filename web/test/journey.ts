/**
 * Environment of the browser tests, one per test file: the lab, the service with the built web app on its own database,
 * and Chromium.
 */
import { type Lab, type MailWorld, openLab, SAMPLE_WORLD } from "@mailvet/lab";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openService, type TestService } from "../../service/test/service.ts";
import { openBrowser } from "./browser.ts";
import { openVisitor, type Visitor, type VisitorOptions } from "./visitor.ts";

export type JourneyEnvironment = AsyncDisposable & {
  lab: Lab;
  service: TestService;
  browser: Browser;
  /** What the service logged as errors, for failure messages. */
  logged: readonly string[];
};

export type EnvironmentOptions = {
  /** Settings of the service. */
  env?: Record<string, string>;
  /** In addition to the lab's standing domains. */
  domains?: MailWorld;
};

async function openEnvironment({ env = {}, domains = {} }: EnvironmentOptions): Promise<JourneyEnvironment> {
  const lab = await openLab({ ...SAMPLE_WORLD, ...domains });
  const logged: string[] = [];
  const logTo = (line: string) => void logged.push(line);
  const service = await openService({ lab, env: { LOG_LEVEL: "error", ...env }, logTo });
  const browser = await openBrowser();
  return {
    lab,
    service,
    browser,
    logged,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await service[Symbol.asyncDispose]();
      await lab[Symbol.asyncDispose]();
    },
  };
}

export type JourneyContext = JourneyEnvironment & {
  /** Opens a visitor, which is closed after the journey. The journey fails if it has recorded errors. */
  visit(options?: VisitorOptions): Promise<Visitor>;
};

export type Journey = (name: string, run: (context: JourneyContext) => Promise<void>) => void;

/** Opens the environment for a test file and returns its `test` function. */
export function journeysIn(options: EnvironmentOptions = {}): Journey {
  let environment: JourneyEnvironment | undefined;
  beforeAll(async () => {
    environment = await openEnvironment(options);
  });
  afterAll(() => environment?.[Symbol.asyncDispose]());
  return (name, run) =>
    test(name, async () => {
      const { service, browser, logged } = environment!;
      const visitors: Visitor[] = [];
      const visit = async (options: VisitorOptions = {}) => {
        const visitor = await openVisitor(browser, service.url, options);
        visitors.push(visitor);
        return visitor;
      };
      try {
        await run({ ...environment!, visit });
        expect(visitors.flatMap(({ errors }) => errors)).toEqual([]);
      } catch (error) {
        if (error instanceof Error) error.message += `${await snapshots(visitors)}\n${logged.join("")}`;
        throw error;
      } finally {
        for (const visitor of visitors) await visitor[Symbol.asyncDispose]();
      }
    });
}

async function snapshots(visitors: readonly Visitor[]): Promise<string> {
  const states = visitors.map(async ({ snapshot, errors }) => [await snapshot().catch(String), ...errors]);
  return `\n\nBrowser state:\n${(await Promise.all(states)).flat().join("\n")}`;
}
