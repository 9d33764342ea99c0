import { TOTP } from "otpauth";
import { expect, test } from "vitest";
import {
  type AccountsWorld,
  MINUTE_MS,
  PUBLIC_URL,
  refusalOf,
  visitorFrom,
  worldsOnOneDatabase,
} from "./accounts-world.ts";
import { beginHolder } from "./lock-waits.ts";
import { openMailServer } from "./mail-server.ts";
import { cookieOf, OPERATOR, openService } from "./service.ts";

const openAccountsWorld = worldsOnOneDatabase();

const EMAIL = "ann@example.com";
const PASSWORD = "a long enough password";
const HERE = visitorFrom(1);
const STEP_MS = 30_000;

/** An account with two-factor sign-in, and its authenticator app. */
async function enable(world: AccountsWorld) {
  const session = (await world.accounts.signUp(EMAIL, PASSWORD, HERE))!;
  const { secret } = await world.accounts.beginTwoFactor(session, PASSWORD);
  const code = (steps = 0) =>
    new TOTP({ secret }).generate({ timestamp: world.now().getTime() + steps * STEP_MS });
  const recoveryCodes = await world.accounts.confirmTwoFactor(session, code());
  world.pass(2 * STEP_MS); // later than the code that confirmed
  const signIn = (withCode?: string, visitor = HERE) =>
    world.accounts.signIn(EMAIL, PASSWORD, visitor, withCode);
  return { session, secret, code, recoveryCodes, signIn };
}

test("the password alone opens no session, a code does, once", async () => {
  await using world = openAccountsWorld();
  const { session, code, signIn } = await enable(world);
  const sessions = async () => (await world.sessions.list(session.accountId)).length;
  expect(await world.accounts.twoFactorStatus(session.accountId)).toEqual({
    isEnabled: true,
    isRequired: false,
    recoveryCodesLeft: 10,
  });

  expect((await refusalOf(signIn())).code).toBe("two_factor_required");
  expect((await refusalOf(signIn("000000"))).code).toBe("two_factor_required");
  expect((await refusalOf(world.accounts.signIn(EMAIL, "a wrong guess", HERE, code()))).code).toBe(
    "wrong_credentials",
  );
  expect(await sessions()).toBe(1);

  const current = code();
  expect(await signIn(current)).toMatchObject({ accountId: session.accountId });
  expect((await refusalOf(signIn(current))).code).toBe("two_factor_required"); // a replay
  expect((await refusalOf(signIn(code(-1)))).code).toBe("two_factor_required"); // older than the last one
  expect(await signIn(code(1))).toBeDefined(); // a clock that is ahead
  expect(await sessions()).toBe(3);
});

test("of concurrent sign-ins with one code, one succeeds", async () => {
  await using world = openAccountsWorld();
  const { code, signIn } = await enable(world);
  const current = code();
  const results = await Promise.allSettled(Array.from({ length: 4 }, () => signIn(current)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("a recovery code signs in once, in any spelling, and is stored as a hash", async () => {
  await using world = openAccountsWorld();
  const { session, recoveryCodes, signIn } = await enable(world);
  expect(new Set(recoveryCodes).size).toBe(10);
  const [first] = recoveryCodes;
  expect(first).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  const { rows } = await world.database.pool.query(
    "select encode(code_hash, 'escape') as hash from recovery_codes",
  );
  expect(JSON.stringify(rows)).not.toContain(first);

  expect(await signIn(first!.toUpperCase().replaceAll("-", " "))).toBeDefined();
  expect((await refusalOf(signIn(first))).code).toBe("two_factor_required");
  expect(await world.accounts.twoFactorStatus(session.accountId)).toMatchObject({ recoveryCodesLeft: 9 });
});

test("codes are limited like passwords, and asking for the code costs no attempt", async () => {
  await using world = openAccountsWorld();
  const { code, signIn } = await enable(world);
  for (let count = 0; count < 8; count++) await refusalOf(signIn());
  const codes: string[] = [];
  for (let count = 0; count < 6; count++) codes.push((await refusalOf(signIn("000000"))).code);
  expect(codes.slice(4)).toEqual(["two_factor_required", "rate_limited"]);
  expect((await refusalOf(signIn(code()))).code).toBe("rate_limited");
  world.pass(5 * MINUTE_MS);
  expect(await signIn(code())).toBeDefined();
});

test("each group of wrong codes from new networks doubles the wait for all of them, also after a restart", async () => {
  const waits: number[] = [];
  await using world = openAccountsWorld();
  const { code, recoveryCodes, signIn } = await enable(world);
  let network = 100;
  const guess = async () => refusalOf(signIn("000000", visitorFrom(network++)));
  for (let group = 0; group < 9; group++) {
    for (let count = 0; count < 5; count++) expect((await guess()).code).toBe("two_factor_required");
    const { code, extras } = (await guess()) as Awaited<ReturnType<typeof guess>> & {
      extras: { retryAfterSeconds: number };
    };
    expect(code).toBe("rate_limited");
    waits.push(Math.round(extras.retryAfterSeconds / 60));
    if (group < 8) world.pass(extras.retryAfterSeconds * 1000);
    await world.restart();
  }
  expect(waits).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440]);

  // Not known clients, and not who has a recovery code, which cannot be guessed.
  expect(await signIn(code())).toBeDefined();
  expect((await refusalOf(signIn(code(1), visitorFrom(2)))).code).toBe("rate_limited");
  expect(await signIn(recoveryCodes[0], visitorFrom(2))).toBeDefined();
  // It has started over.
  expect(await signIn(code(1), visitorFrom(3))).toBeDefined();
});

test("wrong codes in a session double the wait too", async () => {
  await using world = openAccountsWorld();
  const { session } = await enable(world);
  world.pass(15 * MINUTE_MS);
  const guess = () => refusalOf(world.accounts.disableTwoFactor(session, PASSWORD, "000000"));
  for (const minutes of [15, 30, 60]) {
    for (let count = 0; count < 10; count++) expect((await guess()).code).toBe("validation_failed");
    expect((await guess()).code).toBe("rate_limited");
    world.pass((minutes - 1) * MINUTE_MS);
    expect((await guess()).code).toBe("rate_limited");
    world.pass(MINUTE_MS);
  }
});

test("the owner is told by email of the third wrong code after the right password, once", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);
  const token = /token=([\w-]+)/.exec((await post.received(1)).content)![1]!;
  const session = await world.accounts.confirmEmail(token, HERE);
  const { secret } = await world.accounts.beginTwoFactor(session, PASSWORD);
  const code = () => new TOTP({ secret }).generate({ timestamp: world.now().getTime() });
  await world.accounts.confirmTwoFactor(session, code());
  world.pass(2 * STEP_MS);
  const wrong = async (visitor = visitorFrom(2)) => {
    await refusalOf(world.accounts.signIn(EMAIL, PASSWORD, visitor, "000000"));
    await world.accounts.close(); // waits for emails
  };
  const told = () => post.mails.filter(({ content }) => content.includes("knows your password")).length;

  // Without the password a code is not looked at.
  for (let count = 0; count < 3; count++)
    await refusalOf(world.accounts.signIn(EMAIL, "a wrong guess", visitorFrom(9), "000000"));
  await wrong();
  await wrong();
  expect(told()).toBe(0);
  await refusalOf(world.accounts.disableTwoFactor(session, PASSWORD, "000000")); // in a session too
  await world.accounts.close();
  expect(told()).toBe(1);
  await wrong();
  expect(told()).toBe(1);
  expect(post.mails.at(-1)).toMatchObject({
    to: [EMAIL],
    content: expect.stringContaining(`${PUBLIC_URL}/forgotten-password`),
  });

  world.pass(15 * MINUTE_MS);
  await world.accounts.signIn(EMAIL, PASSWORD, HERE, code());
  await wrong(visitorFrom(4));
  await wrong(visitorFrom(4));
  expect(told()).toBe(1);
  await wrong(visitorFrom(4));
  expect(told()).toBe(2);
});

test("enabling needs the password and a code of the new secret, and ends other sessions", async () => {
  await using world = openAccountsWorld();
  const other = (await world.accounts.signUp(EMAIL, PASSWORD, HERE))!;
  const here = await world.accounts.signIn(EMAIL, PASSWORD, HERE);
  expect((await refusalOf(world.accounts.beginTwoFactor(here, "a wrong guess"))).code).toBe(
    "wrong_credentials",
  );
  const replaced = await world.accounts.beginTwoFactor(here, PASSWORD);
  const { secret, uri } = await world.accounts.beginTwoFactor(here, PASSWORD);
  expect(uri).toMatch(/^otpauth:\/\/totp\/Mailvet:ann%40example\.com\?.*secret=/);

  const stale = new TOTP({ secret: replaced.secret }).generate({ timestamp: world.now().getTime() });
  expect((await refusalOf(world.accounts.confirmTwoFactor(here, stale))).code).toBe("validation_failed");
  expect(await world.accounts.signIn(EMAIL, PASSWORD, HERE)).toBeDefined(); // not enabled yet

  const code = new TOTP({ secret }).generate({ timestamp: world.now().getTime() });
  await world.accounts.confirmTwoFactor(here, code);
  expect(await world.sessions.find(other.token)).toBeUndefined();
  expect(await world.sessions.find(here.token)).toBeDefined();
  expect((await refusalOf(world.accounts.signIn(EMAIL, PASSWORD, HERE, code))).code).toBe(
    "two_factor_required",
  );
  expect((await refusalOf(world.accounts.beginTwoFactor(here, PASSWORD))).code).toBe("two_factor_enabled");
});

test("enabling ends a session that the password alone is opening meanwhile", async () => {
  await using world = openAccountsWorld();
  const here = (await world.accounts.signUp(EMAIL, PASSWORD, HERE))!;
  const { secret } = await world.accounts.beginTwoFactor(here, PASSWORD);
  await using holder = await beginHolder(world.database.pool);
  await holder.query("lock table audit_entries in exclusive mode", []);
  const opening = world.accounts.signIn(EMAIL, PASSWORD, HERE);
  await holder.untilBlocked(1); // its session is opened, and not yet committed
  const code = new TOTP({ secret }).generate({ timestamp: world.now().getTime() });
  const confirming = world.accounts.confirmTwoFactor(here, code);
  await holder.untilBlocked(2);
  await holder.commit();
  const [opened] = await Promise.all([opening, confirming]);
  expect(await world.sessions.find(opened.token)).toBeUndefined();
  expect(await world.sessions.find(here.token)).toBeDefined();
});

test("recovery codes are replaced with the password and a code, and the previous ones no longer work", async () => {
  await using world = openAccountsWorld();
  const { session, code, recoveryCodes, signIn } = await enable(world);
  const replace = (password: string, withCode: string) =>
    world.accounts.replaceRecoveryCodes(session, password, withCode);
  const left = async () => (await world.accounts.twoFactorStatus(session.accountId)).recoveryCodesLeft;
  await signIn(recoveryCodes[0]);
  expect((await refusalOf(replace("a wrong guess", code()))).code).toBe("wrong_credentials");
  expect((await refusalOf(replace(PASSWORD, "000000"))).code).toBe("validation_failed");
  expect(await left()).toBe(9);

  const replaced = await replace(PASSWORD, code());
  expect(await left()).toBe(10);
  expect((await refusalOf(signIn(recoveryCodes[1]))).code).toBe("two_factor_required");
  const again = await replace(PASSWORD, replaced[0]!); // without the app
  expect(await left()).toBe(10);
  expect((await refusalOf(signIn(replaced[1]))).code).toBe("two_factor_required");
  expect(await signIn(again[0])).toBeDefined();
  expect(await world.sessions.find(session.token)).toBeDefined();
});

test("without two-factor sign-in there are no recovery codes to replace", async () => {
  await using world = openAccountsWorld();
  const session = (await world.accounts.signUp(EMAIL, PASSWORD, HERE))!;
  const { secret } = await world.accounts.beginTwoFactor(session, PASSWORD);
  const code = new TOTP({ secret }).generate({ timestamp: world.now().getTime() });
  expect((await refusalOf(world.accounts.replaceRecoveryCodes(session, PASSWORD, code))).code).toBe(
    "validation_failed",
  );
  const { rows } = await world.database.pool.query("select * from recovery_codes");
  expect(rows).toEqual([]);
});

test("disabling needs the password and a code", async () => {
  await using world = openAccountsWorld();
  const { session, code, signIn } = await enable(world);
  expect((await refusalOf(world.accounts.disableTwoFactor(session, "a wrong guess", code()))).code).toBe(
    "wrong_credentials",
  );
  expect((await refusalOf(world.accounts.disableTwoFactor(session, PASSWORD, "000000"))).code).toBe(
    "validation_failed",
  );
  await world.accounts.disableTwoFactor(session, PASSWORD, code());
  expect(await signIn()).toBeDefined();
  const { rows } = await world.database.pool.query("select * from recovery_codes");
  expect(rows).toEqual([]);
});

test("who knows the password has ten guesses of the code, whatever else the password proves", async () => {
  await using world = openAccountsWorld();
  const { session, code } = await enable(world);
  const { accounts } = world;
  const site = { rpId: "mailvet.example", origin: PUBLIC_URL };
  const proveByPassword = async () => {
    const asked = await refusalOf(accounts.requireProof(session, { password: PASSWORD }));
    expect(asked.code).toBe("two_factor_required");
    await accounts.beginPasskey(session, { password: PASSWORD }, site);
    await accounts.changePassword(session, { current: PASSWORD, next: "my password now" });
    await accounts.changePassword(session, { current: "my password now", next: PASSWORD });
  };
  for (let count = 0; count < 5; count++) {
    await proveByPassword();
    expect((await refusalOf(accounts.disableTwoFactor(session, PASSWORD, "000000"))).code).toBe(
      "validation_failed",
    );
    const proof = { password: PASSWORD, code: "000000" };
    expect((await refusalOf(accounts.requireProof(session, proof))).code).toBe("validation_failed");
  }
  expect((await refusalOf(accounts.disableTwoFactor(session, PASSWORD, code()))).code).toBe("rate_limited");
  world.pass(15 * MINUTE_MS);
  await accounts.disableTwoFactor(session, PASSWORD, code());
});

test("proofs that succeed are not limited", async () => {
  await using world = openAccountsWorld();
  const { session, code } = await enable(world);
  for (let count = 0; count < 12; count++) {
    await refusalOf(world.accounts.requireProof(session, { password: PASSWORD }));
    await world.accounts.requireProof(session, { password: PASSWORD, code: code() });
    world.pass(STEP_MS);
  }
});

test("a reset password does not replace the code", async () => {
  await using world = openAccountsWorld();
  const { code } = await enable(world);
  await world.accounts.requestReset(EMAIL, HERE);
  await world.accounts.close(); // waits for emails
  const token = /token=([\w-]+)/.exec(world.passedOn[0]!.text)![1]!;
  await world.accounts.chooseNewPassword(token, "another fine password", HERE);
  const signIn = (withCode?: string) => world.accounts.signIn(EMAIL, "another fine password", HERE, withCode);
  expect((await refusalOf(signIn())).code).toBe("two_factor_required");
  expect(await signIn(code())).toBeDefined();
});

test("a reset password gives no more guesses of the code", async () => {
  await using world = openAccountsWorld();
  const { code } = await enable(world);
  const reset = async (password: string) => {
    await world.accounts.requestReset(EMAIL, HERE);
    await expect.poll(() => world.passedOn.length).toBe(1);
    const token = /token=([\w-]+)/.exec(world.passedOn.pop()!.text)![1]!;
    await world.accounts.chooseNewPassword(token, password, HERE);
  };
  const refusedWith = async (password: string, guessed: string) =>
    (await refusalOf(world.accounts.signIn(EMAIL, password, HERE, guessed))).code;
  for (let count = 0; count < 5; count++) await refusedWith(PASSWORD, "000000");

  await reset("another fine password");
  world.pass(4 * MINUTE_MS);
  // Not against the password, which is right: the owner would wait for longer than the refusal says.
  for (let count = 0; count < 6; count++)
    expect(await refusedWith("another fine password", "000000")).toBe("rate_limited");
  world.pass(MINUTE_MS);
  expect(await world.accounts.signIn(EMAIL, "another fine password", HERE, code())).toBeDefined();
  // Wrong passwords are forgiven as before.
  world.pass(STEP_MS);
  for (let count = 0; count < 6; count++) await refusedWith("a wrong guess", "000000");
  await reset("a third fine password");
  expect(await world.accounts.signIn(EMAIL, "a third fine password", HERE, code())).toBeDefined();
});

test("REQUIRE_TWO_FACTOR=operators: no operator rights before it is enabled", async () => {
  await using service = await openService({ env: { REQUIRE_TWO_FACTOR: "operators" } });
  const cookie = cookieOf(await service.ask("/auth/sign-in", { body: OPERATOR }));
  const accounts = () => service.ask("/operator/accounts", { cookie });
  expect(await accounts()).toMatchObject({
    status: 403,
    body: { code: "operator_only", detail: expect.stringContaining("two-factor") },
  });
  expect((await service.ask("/auth/two-factor", { cookie })).body).toMatchObject({
    enabled: false,
    required: true,
  });

  const { password } = OPERATOR;
  const { body } = await service.ask("/auth/two-factor", { cookie, body: { password } });
  const code = new TOTP({ secret: body.secret }).generate();
  const confirmed = await service.ask("/auth/two-factor/confirm", { cookie, body: { code } });
  expect(confirmed).toMatchObject({ status: 200, body: { recovery_codes: expect.any(Array) } });
  expect(await accounts()).toMatchObject({ status: 200 });

  const alone = await service.ask("/auth/sign-in", { body: OPERATOR });
  expect(alone).toMatchObject({ status: 401, body: { code: "two_factor_required" } });
  expect(alone.headers.getSetCookie()).toEqual([]);
  const recovered = await service.ask("/auth/sign-in", {
    body: { ...OPERATOR, code: confirmed.body.recovery_codes[0] },
  });
  expect(recovered).toMatchObject({ status: 200 });
});
