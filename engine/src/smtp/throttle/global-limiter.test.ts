import { setMaxListeners } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CountedSession, GlobalLimiter } from "./global-limiter.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Ten sessions that work, and one beside them for interactive requests; 21 open ones, of which one is for those. */
function setUp() {
  const limiter = new GlobalLimiter({ working: 10, open: 21 });
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const ask = (isInteractive: boolean | (() => boolean), session: CountedSession) => {
    const asked = { session, isGranted: undefined as boolean | undefined };
    const isNow = typeof isInteractive === "function" ? isInteractive : () => isInteractive;
    void limiter.acquire(session, closing.signal, isNow).then((isGranted) => {
      asked.isGranted = isGranted;
    });
    return asked;
  };
  const batch = (count: number, options = {}) =>
    Array.from({ length: count }, () => ask(false, new CountedSession(options)));
  const single = (isInteractive: boolean | (() => boolean) = true) =>
    ask(isInteractive, new CountedSession());
  return { limiter, closing, batch, single };
}
type Asked = ReturnType<ReturnType<typeof setUp>["single"]>;

const granted = async (asked: readonly Asked[]) => {
  await vi.advanceTimersByTimeAsync(0);
  return asked.filter(({ isGranted }) => isGranted).length;
};
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
/** From now on, each session hears from its host ten times a second. */
const talk = (asked: readonly Asked[]) => {
  for (const { session } of asked) session.socket = { bytesRead: 0 };
  return setInterval(() => {
    for (const { session } of asked) session.socket = { bytesRead: session.socket!.bytesRead + 1 };
  }, 100);
};

test("sessions that work are limited, and the others wait in order", async () => {
  const { limiter, batch } = setUp();
  const asked = batch(12);
  talk(asked);
  expect(await granted(asked)).toBe(10);
  await seconds(60);
  expect(await granted(asked)).toBe(10);
  expect(limiter.hasWaiters).toBe(true);
  limiter.release(asked[0]!.session);
  expect(await granted(asked)).toBe(11);
  expect(asked[11]!.isGranted).toBeUndefined();
});

test("a session counts until its host has been silent for a second, and again when it speaks", async () => {
  const { limiter, batch } = setUp();
  const mute = batch(4);
  const talking = batch(6);
  talk(talking);
  const waiting = batch(6);
  talk(waiting);
  await seconds(0.9);
  expect(await granted(waiting)).toBe(0);
  await seconds(0.2);
  expect(await granted(waiting)).toBe(4);

  talk(mute);
  await seconds(0.3);
  limiter.release(talking[0]!.session); // thirteen work now
  limiter.release(talking[1]!.session);
  limiter.release(talking[2]!.session);
  limiter.release(talking[3]!.session);
  expect(await granted(waiting)).toBe(4);
  limiter.release(talking[4]!.session);
  expect(await granted(waiting)).toBe(5);
});

test("a silent session that ends makes no room among those that work", async () => {
  const { limiter, batch } = setUp();
  const mute = batch(5);
  talk(batch(5));
  const waiting = batch(8);
  talk(waiting);
  await seconds(1.1);
  expect(await granted(waiting)).toBe(5);
  for (const { session } of mute) limiter.release(session);
  expect(await granted(waiting)).toBe(5);
});

test("open sessions are limited too", async () => {
  const { batch } = setUp();
  const asked = batch(30);
  await seconds(60);
  expect(await granted(asked)).toBe(20);
});

test("sessions through a proxy always count", async () => {
  const { batch } = setUp();
  const asked = batch(30, { alwaysCounts: true });
  await seconds(60);
  expect(await granted(asked)).toBe(10);
});

test("interactive requests have sessions in reserve, also when they become interactive while they wait", async () => {
  const { limiter, batch, single } = setUp();
  const lists = batch(15);
  talk(lists);
  const first = single();
  talk([first]);
  expect(await granted([first])).toBe(1);
  let isUrgent = false;
  const raised = single(() => isUrgent);
  expect(await granted([raised])).toBe(0);
  isUrgent = true;
  limiter.release(first.session); // refills the reserve, which no list may use
  await seconds(0.3);
  expect(await granted(lists)).toBe(10);
  expect(await granted([raised])).toBe(1);
  limiter.release(lists[0]!.session);
  expect(await granted(lists)).toBe(11);
});

test("lists keep their share beside ever more interactive requests", async () => {
  const { limiter, batch, single } = setUp();
  const lists = batch(30);
  const singles = Array.from({ length: 60 }, () => single());
  talk([...lists, ...singles]);
  const isRunning = ({ isGranted, session }: Asked) => isGranted === true && !ended.has(session);
  const ended = new Set<CountedSession>();
  for (let i = 0; i < 40; i++) {
    await granted([]);
    const session = [...lists, ...singles].find(isRunning)!.session;
    ended.add(session);
    limiter.release(session);
    talk([single()]);
  }
  expect(await granted(lists)).toBeGreaterThan(15); // ten of them at the start
});

test("what is urgent but not interactive goes first, and does not use the reserve", async () => {
  const { limiter, closing, batch } = setUp();
  const lists = batch(12);
  talk(lists);
  let isGranted = false;
  const session = new CountedSession();
  session.socket = { bytesRead: 0 };
  void limiter
    .acquire(
      session,
      closing.signal,
      () => false,
      () => true,
    )
    .then(() => {
      isGranted = true;
    });
  await seconds(10);
  expect(isGranted).toBe(false);
  limiter.release(lists[0]!.session);
  expect(await granted(lists)).toBe(10);
  expect(isGranted).toBe(true);
});

test("an aborted wait leaves no timer behind", async () => {
  const { closing, batch } = setUp();
  const asked = batch(12);
  expect(await granted(asked)).toBe(10);
  expect(vi.getTimerCount()).toBe(1);
  closing.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.map(({ isGranted }) => isGranted).slice(10)).toEqual([false, false]);
  expect(vi.getTimerCount()).toBe(0);
});
