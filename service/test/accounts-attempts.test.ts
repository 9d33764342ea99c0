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

test("after five wrong passwords from one network the right one is refused too, for at most five minutes", async () => {
  await using world = await openWithAnn();

  expect(new Set(await guess(world, 5))).toEqual(new Set(["wrong_credentials"]));
  const refusal = await refusalOf(world.accounts.signIn(EMAIL, PASSWORD, GUESSER));
  expect(refusal).toMatchObject({ code: "rate_limited" });
  const { retryAfterSeconds } = (refusal as unknown as { extras: { retryAfterSeconds: number } }).extras;
  expect(retryAfterSeconds).toBeGreaterThan(290);
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

  expect((await refusalOf(world.accounts.signIn(EMAIL, PASSWORD, OWNER))).code).toBe("rate_limited");
  world.pass(5 * MINUTE_MS);
  expect(await world.accounts.signIn(EMAIL, PASSWORD, OWNER)).toBeDefined();
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
