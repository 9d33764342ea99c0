/**
 * What a story in the browser happens in: the lab's mail internet, the whole service with the built web app on a database
 * of its own, and a Chromium. One for each file of stories.
 */
import { type Lab, type MailWorld, openLab, SAMPLE_WORLD } from "@mailvet/lab";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openService, type TestService } from "../../service/test/service.ts";
import { openBrowser } from "./browser.ts";
import { openVisitor, type Visitor, type VisitorOptions } from "./visitor.ts";

export type World = AsyncDisposable & { lab: Lab; service: TestService; browser: Browser };

export type WorldOptions = {
  /** Settings of the service. */
  env?: Record<string, string>;
  /** Beside the standing world. */
  domains?: MailWorld;
};

export async function openWorld({ env = {}, domains = {} }: WorldOptions = {}): Promise<World> {
  const lab = await openLab({ ...SAMPLE_WORLD, ...domains });
  const service = await openService({ lab, env });
  const browser = await openBrowser();
  return {
    lab,
    service,
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await service[Symbol.asyncDispose]();
      await lab[Symbol.asyncDispose]();
    },
  };
}

export type Scene = World & {
  /** Somebody comes in. They leave when the story ends, and may have nothing to complain about by then. */
  visit(options?: VisitorOptions): Promise<Visitor>;
};

export type Journey = (name: string, walk: (scene: Scene) => Promise<void>) => void;

/** For a file of stories: opens its world, and gives a `test` for them. Left out where there is no browser. */
export function journeysIn(options: WorldOptions = {}): Journey {
  let world: World | undefined;
  beforeAll(async () => {
    world = await openWorld(options);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());
  return (name, walk) =>
    test.skipIf(!inject("hasBrowser"))(name, async () => {
      const { service, browser } = world!;
      const visitors: Visitor[] = [];
      const visit = async (who: VisitorOptions = {}) => {
        const visitor = await openVisitor(browser, service.url, who);
        visitors.push(visitor);
        return visitor;
      };
      try {
        await walk({ ...world!, visit });
        expect(visitors.flatMap(({ complaints }) => complaints)).toEqual([]);
      } catch (error) {
        if (error instanceof Error) error.message += await whatWasSeen(visitors);
        throw error;
      } finally {
        for (const visitor of visitors) await visitor[Symbol.asyncDispose]();
      }
    });
}

async function whatWasSeen(visitors: readonly Visitor[]): Promise<string> {
  const seen = visitors.map(async ({ look, complaints }) => [await look().catch(String), ...complaints]);
  return `\n\nIn the browser at that moment:\n${(await Promise.all(seen)).flat().join("\n")}`;
}
