import { expect, test } from "vitest";
import {
  type AccountsWorld,
  MINUTE_MS,
  refusalOf,
  visitorFrom,
  worldsOnOneDatabase,
} from "./accounts-world.ts";

const openAccountsWorld = worldsOnOneDatabase();

const EMAIL = "ann@example.com";
const PASSWORD = "a long enough password";
const OWNER = visitorFrom(1);
const GUESSER = visitorFrom(2);

async function openWithAnn(): Promise<AccountsWorld> {
  const world = openAccountsWorld();
  await world.accounts.signUp(EMAIL, PASSWORD, OWNER);
  return world;
}

async function guess({ accounts }: AccountsWorld, times: number, visitor = GUESSER): Promise<string[]> {
  const codes: string[] = [];
  for (let count = 0; count < times; count++) {
    codes.push((await refusalOf(accounts.signIn(EMAIL, "a wrong guess", visitor))).code);
  }
  return codes;
}

/** A wrong guess that is refused for one reason or the other. */
const refusedFrom = ({ accounts }: AccountsWorld, visitor: typeof OWNER) =>
  refusalOf(accounts.signIn(EMAIL, "a wrong guess", visitor));

test("after five wrong passwords from one network the right one is refused too, for at most five minutes", async () => {
  await using world = await openWithAnn();

  expect(new Set(await guess(world, 5))).toEqual(new Set(["wrong_credentials"]));
  const refusal = await refusalOf(world.accounts.signIn(EMAIL, PASSWORD, GUESSER));
  expect(refusal).toMatchObject({ code: "rate_limited" });
  const { retryAfterSeconds } = (refusal as unknown as { extras: { retryAfterSeconds: number } }).extras;
  expect(retryAfterSeconds).toBeGreaterThan(240);
  expect(retryAfterSeconds).toBeLessThanOrEqual(300);

  world.pass(5 * MINUTE_MS);
  expect(await world.accounts.signIn(EMAIL, PASSWORD, GUESSER)).toBeDefined();
});

test("twenty concurrent guesses get no further than five", async () => {
  await using world = await openWithAnn();
  const codes = (await Promise.all(Array.from({ length: 20 }, () => guess(world, 1)))).flat();

  expect(codes.filter((code) => code === "wrong_credentials")).toHaveLength(5);
  expect(codes.filter((code) => code === "rate_limited")).toHaveLength(15);
});

test("one attacker cannot lock out the owner", async () => {
  await using world = await openWithAnn();
  await guess(world, 60);

  expect(await world.accounts.signIn(EMAIL, PASSWORD, OWNER)).toBeDefined();
});

test("guesses from many networks are limited together, for at most five minutes", async () => {
  await using world = await openWithAnn();
  for (let network = 100; network < 130; network++) await guess(world, 1, visitorFrom(network));

  const elsewhere = visitorFrom(3);
  expect((await refusalOf(world.accounts.signIn(EMAIL, PASSWORD, elsewhere))).code).toBe("rate_limited");
  world.pass(5 * MINUTE_MS);
  expect(await world.accounts.signIn(EMAIL, PASSWORD, elsewhere)).toBeDefined();
});

test("guesses from many networks do not lock out a network that has signed in before", async () => {
  await using world = await openWithAnn();
  for (let network = 100; network < 140; network++) await refusedFrom(world, visitorFrom(network));

  expect(await world.accounts.signIn(EMAIL, PASSWORD, OWNER)).toBeDefined();
  expect((await refusalOf(world.accounts.signIn(EMAIL, PASSWORD, visitorFrom(3)))).code).toBe("rate_limited");
});

test("a browser that has signed in before is not locked out, whatever its network and that of the guesses", async () => {
  await using world = await openWithAnn();
  const { deviceToken } = await world.accounts.signIn(EMAIL, PASSWORD, OWNER);
  for (let network = 100; network < 140; network++) await refusedFrom(world, visitorFrom(network));
  await guess(world, 60);

  const owner = { ...GUESSER, deviceToken };
  const { deviceToken: next } = await world.accounts.signIn(EMAIL, PASSWORD, owner);
  expect(next).not.toBe(deviceToken);
  expect(
    (await refusalOf(world.accounts.signIn(EMAIL, PASSWORD, { ...visitorFrom(4), deviceToken }))).code,
  ).toBe(
    "rate_limited", // replaced
  );
  expect(
    await world.accounts.signIn(EMAIL, PASSWORD, { ...visitorFrom(5), deviceToken: next }),
  ).toBeDefined();
});

test("a browser that has signed in before has five guesses like any other", async () => {
  await using world = await openWithAnn();
  const { deviceToken } = await world.accounts.signIn(EMAIL, PASSWORD, OWNER);
  const codes: string[] = [];
  for (let network = 10; network < 16; network++)
    codes.push(...(await guess(world, 1, { ...visitorFrom(network), deviceToken })));
  expect(codes.slice(4)).toEqual(["wrong_credentials", "rate_limited"]);
});

test("signing in to another account gives a browser no more guesses", async () => {
  await using world = await openWithAnn();
  const mallory = "mallory@example.com";
  await world.accounts.signUp(mallory, PASSWORD, visitorFrom(7));
  let { deviceToken } = await world.accounts.signIn(EMAIL, PASSWORD, OWNER);
  const own = (await world.accounts.signIn(EMAIL, PASSWORD, visitorFrom(3))).deviceToken;
  const codes: string[] = [];
  for (let network = 10; network < 16; network++) {
    ({ deviceToken } = await world.accounts.signIn(mallory, PASSWORD, { ...visitorFrom(7), deviceToken }));
    codes.push(...(await guess(world, 1, { ...visitorFrom(network), deviceToken })));
  }
  expect(codes.slice(4)).toEqual(["wrong_credentials", "rate_limited"]);
  // The owner's other browser is not limited by them.
  expect(await world.accounts.signIn(EMAIL, PASSWORD, { ...GUESSER, deviceToken: own })).toBeDefined();
});

test("a browser is recognised for each of its accounts, and only for those", async () => {
  await using world = await openWithAnn();
  const bob = "bob@example.com";
  await world.accounts.signUp(bob, PASSWORD, visitorFrom(7));
  const first = await world.accounts.signIn(EMAIL, PASSWORD, OWNER);
  const second = await world.accounts.signIn(bob, PASSWORD, { ...OWNER, deviceToken: first.deviceToken });
  for (let network = 100; network < 140; network++) {
    await refusedFrom(world, visitorFrom(network));
    await refusalOf(world.accounts.signIn(bob, "a wrong guess", visitorFrom(network + 100)));
  }
  const elsewhere = { ...visitorFrom(8), deviceToken: second.deviceToken };
  const third = await world.accounts.signIn(EMAIL, PASSWORD, elsewhere);
  expect(
    await world.accounts.signIn(bob, PASSWORD, { ...elsewhere, deviceToken: third.deviceToken }),
  ).toBeDefined();

  const { rows } = await world.database.pool.query("select client_hash from known_clients");
  expect(JSON.stringify(rows)).not.toContain(third.deviceToken);
});

test("each series of wrong passwords doubles the time until the next", async () => {
  await using world = await openWithAnn();
  const waits: number[] = [];
  for (let series = 0; series < 9; series++) {
    await guess(world, 5);
    const { extras } = (await refusalOf(world.accounts.signIn(EMAIL, PASSWORD, GUESSER))) as unknown as {
      extras: { retryAfterSeconds: number };
    };
    waits.push(Math.round(extras.retryAfterSeconds / 60));
    world.pass(extras.retryAfterSeconds * 1000);
    await world.accounts.deleteExpired();
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 240, 240, 240]);

  // A day without attempts, or a sign-in, starts over.
  world.pass(24 * 60 * MINUTE_MS);
  await world.accounts.deleteExpired();
  await guess(world, 5);
  world.pass(5 * MINUTE_MS);
  await world.accounts.signIn(EMAIL, PASSWORD, GUESSER);
  await guess(world, 5);
  world.pass(5 * MINUTE_MS);
  expect(await world.accounts.signIn(EMAIL, PASSWORD, GUESSER)).toBeDefined();
});

test("frequent sign-ins with the right password are not limited", async () => {
  await using world = await openWithAnn();
  await guess(world, 4, OWNER);
  for (let count = 0; count < 8; count++) await world.accounts.signIn(EMAIL, PASSWORD, OWNER);
  expect(await guess(world, 1, OWNER)).toEqual(["wrong_credentials"]);
});

test("one network cannot try any number of accounts", async () => {
  await using world = await openWithAnn();
  const codes: string[] = [];
  for (let count = 0; count < 51; count++) {
    const attempt = world.accounts.signIn(`person-${count}@example.com`, "Password123", GUESSER);
    codes.push((await refusalOf(attempt)).code);
  }
  expect(codes.slice(49)).toEqual(["wrong_credentials", "rate_limited"]);
});

test("an unattended session allows ten guesses of the current password", async () => {
  await using world = await openWithAnn();
  const session = await world.accounts.signIn(EMAIL, PASSWORD, OWNER);
  const guessed: string[] = [];
  for (let count = 0; count < 11; count++) {
    const attempt = world.accounts.changePassword(session, {
      current: "a wrong guess",
      next: "my password now",
    });
    guessed.push((await refusalOf(attempt)).code);
  }
  expect(guessed.slice(9)).toEqual(["wrong_credentials", "rate_limited"]);
});

test("one network can sign up thirty accounts an hour, whatever its IPv6 addresses", async () => {
  await using world = openAccountsWorld();
  const signUp = (count: number) => {
    const visitor = { ip: `2001:db8:1:2::${count.toString(16)}`, userAgent: "" };
    return world.accounts.signUp(`person-${count}@example.com`, PASSWORD, visitor);
  };
  await Promise.all(Array.from({ length: 30 }, (_, count) => signUp(count)));

  expect((await refusalOf(signUp(30))).code).toBe("rate_limited");
  world.pass(60 * MINUTE_MS);
  expect(await signUp(31)).toBeDefined();

  await world.accounts.deleteExpired();
  const { rows } = await world.database.pool.query("select subject from attempts");
  expect(rows).toHaveLength(1);
  expect(rows[0].subject).toMatch(/^sign_up:[\w-]{43}$/); // no address in plain text
});
