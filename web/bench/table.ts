/**
 * `npm run bench:table [ROWS]`: scrolls through the results of a job in Chromium and prints what its own trace says: frames
 * presented and dropped, time of the main thread per frame, longest task.
 *
 * The demo serves the app and a small job; its results are repeated to ROWS rows on their way to the browser, in the pages
 * that the app asks for. At 60 frames a second a frame has 16.7 ms.
 */
import { loadavg } from "node:os";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../test/browser.ts";
import { openDemo } from "../test/screenshots/demo.ts";

const ROWS = Number(process.argv[2] ?? 100_000);
const VIEWPORT = { width: 1280, height: 900 };
/** As fast as a hard flick of the wheel, for ten seconds. */
const PX_PER_SECOND = 6_000;
const DISTANCE_PX = 60_000;
const CATEGORIES = ["benchmark", "cc", "toplevel", "disabled-by-default-devtools.timeline"];

await using demo = await openDemo();
const browser = await openBrowser();
try {
  const page = await browser.newPage({ baseURL: demo.url, viewport: VIEWPORT });
  await demo.signIn(page, "customer");
  await openLongJob(page);
  console.log(`${ROWS.toLocaleString("en")} rows, load ${loadavg()[0]!.toFixed(1)}`);
  for (const [name, from] of [
    ["from the top", 0],
    ["from the middle", 0.5],
  ] as const)
    print(name, figuresOf(await scrollTraced(browser, page, from)));
} finally {
  await browser.close();
}

async function openLongJob(page: Page): Promise<void> {
  await page.route(/\/bulk\/jobs\/[0-9a-f-]{36}\/results\?/, async (route) => {
    const url = new URL(route.request().url());
    const skip = Number(url.searchParams.get("skip") ?? 0);
    const limit = Number(url.searchParams.get("limit") ?? 100);
    url.searchParams.set("skip", "0");
    const response = await route.fetch({ url: url.href });
    const items: object[] = await response.json();
    const count = Math.max(0, Math.min(limit, ROWS - skip));
    await route.fulfill({
      response,
      headers: { ...response.headers(), "x-total-count": String(ROWS) },
      json: Array.from({ length: count }, (_, n) => ({ ...items[n % items.length], row: skip + n + 1 })),
    });
  });
  await page.goto("/bulk");
  await page.getByRole("table").getByRole("link").last().click(); // the oldest, which is completed
  await page.getByRole("table", { name: "Results" }).getByRole("row").nth(5).waitFor();
  await page.waitForLoadState("networkidle");
}

type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  args?: { name?: string; chrome_frame_reporter?: { state?: string; affects_smoothness?: boolean } };
};

async function scrollTraced(browser: Browser, page: Page, from: number): Promise<TraceEvent[]> {
  const table = page.getByRole("table", { name: "Results" });
  await table.scrollIntoViewIfNeeded();
  await table.evaluate((element, share) => {
    element.scrollTop = share * element.scrollHeight;
  }, from);
  await page.waitForLoadState("networkidle");
  const box = (await table.boundingBox())!;
  const session = await page.context().newCDPSession(page);
  await browser.startTracing(page, { categories: CATEGORIES });
  await session.send("Input.synthesizeScrollGesture", {
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
    yDistance: -DISTANCE_PX,
    speed: PX_PER_SECOND,
  });
  const trace = await browser.stopTracing();
  await session.detach();
  return JSON.parse(trace.toString()).traceEvents;
}

type Figures = { presented: number; dropped: number; mainMs: number; longestMs: number; longTasks: number };

function figuresOf(events: readonly TraceEvent[]): Figures {
  const states = events.flatMap(({ name, args }) =>
    name === "PipelineReporter" && args?.chrome_frame_reporter?.state
      ? [args.chrome_frame_reporter.state]
      : [],
  );
  const mains = events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const perMain = mains.map(({ pid, tid }) =>
    events.flatMap((event) =>
      event.name.endsWith("RunTask") && event.pid === pid && event.tid === tid && event.dur !== undefined
        ? [event.dur / 1000]
        : [],
    ),
  );
  // The page under test is the renderer that was busy.
  const tasks = perMain.toSorted((one, other) => sum(other) - sum(one))[0] ?? [];
  return {
    presented: states.filter((state) => state.startsWith("STATE_PRESENTED")).length,
    dropped: states.filter((state) => state === "STATE_DROPPED").length,
    mainMs: sum(tasks),
    longestMs: Math.max(0, ...tasks),
    longTasks: tasks.filter((ms) => ms > 50).length,
  };
}

function print(name: string, { presented, dropped, mainMs, longestMs, longTasks }: Figures): void {
  const all = presented + dropped;
  console.log(
    `  ${name.padEnd(16)} ${presented} frames presented, ${dropped} dropped (${((100 * dropped) / Math.max(1, all)).toFixed(1)} %), ` +
      `main thread ${(mainMs / Math.max(1, all)).toFixed(1)} ms per frame, longest task ${longestMs.toFixed(0)} ms, ` +
      `${longTasks} tasks over 50 ms`,
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
