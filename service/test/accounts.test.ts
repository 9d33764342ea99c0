import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { hashPassword } from "../src/accounts/password.ts";
import { accounts as accountsTable, sessions as sessionsTable } from "../src/accounts/schema.ts";
import {
  type AccountsWorld,
  DAY_MS,
  MINUTE_MS,
  refusalOf,
  visitorFrom,
  worldsOnOneDatabase,
} from "./accounts-world.ts";
import { costsOfComparisons } from "./quick-argon2.ts";

const openAccountsWorld = worldsOnOneDatabase();

const HERE = visitorFrom(1);
const PASSWORD = "a long enough password";

async function signUp({ accounts }: AccountsWorld, email: string, visitor = HERE) {
  const session = await accounts.signUp(email, PASSWORD, visitor);
  return session!;
}

test("without a mail server sign-up signs in, with the plan and credits of the settings", async () => {
  await using world = openAccountsWorld({ settings: { signUpPlan: "payg", signUpCredits: 250 } });

  const { accountId, token } = await signUp(world, "  Ann@Example.com ");

  expect(await world.sessions.find(token)).toMatchObject({ accountId, plan: "payg", isOperator: false });
  expect(await world.accounts.find(accountId)).toMatchObject({
    email: "ann@example.com",
    plan: "payg",
    balance: 250,
    reserved: 0,
  });
  expect((await refusalOf(signUp(world, "ann@EXAMPLE.com"))).code).toBe("email_taken");
  expect((await world.accounts.list({ skip: 0, limit: 10, sort: "created", order: "desc" })).total).toBe(1);
});

test("an invited account is kept until the owner accepts, after the link has expired too", async () => {
  await using world = openAccountsWorld();
  const { accountId } = await world.accounts.invite({ email: "ann@example.com" }, {});
  world.pass(30 * DAY_MS);
  await world.accounts.deleteExpired();
  expect((await world.accounts.findListed(accountId)).state).toBe("invited");
  expect((await world.accounts.inviteAgain(accountId, {})).link).toContain("invitation=yes&token=");
});

test("closed sign-up is refused", async () => {
  await using world = openAccountsWorld({ settings: { signUp: "closed" } });
  expect((await refusalOf(signUp(world, "ann@example.com"))).code).toBe("sign_up_closed");
});

test("sign-up with a malformed email is refused", async () => {
  await using world = openAccountsWorld();
  const refusal = await refusalOf(signUp(world, "ann@@example.com"));
  expect(refusal).toMatchObject({ code: "validation_failed", extras: { errors: [{ pointer: "/email" }] } });
  expect((await refusalOf(signUp(world, "a\0nn@example.com"))).code).toBe("validation_failed");
});

test("a wrong password and an unknown email get the same response", async () => {
  await using world = openAccountsWorld();
  const { accountId } = await signUp(world, "ann@example.com");

  expect(await world.accounts.signIn("ANN@example.com ", PASSWORD, HERE)).toMatchObject({ accountId });
  const wrong = await refusalOf(world.accounts.signIn("ann@example.com", "another password", HERE));
  const unknown = await refusalOf(world.accounts.signIn("bob@example.com", PASSWORD, HERE));
  const unstorable = await refusalOf(world.accounts.signIn("b\0b@example.com", PASSWORD, HERE));
  expect(wrong.code).toBe("wrong_credentials");
  expect([unknown, unstorable].map(({ code, message }) => [code, message])).toEqual(
    Array(2).fill([wrong.code, wrong.message]),
  );
});

test("sign-in compares a hash of the same cost for an unknown email as for a known one", async () => {
  await using world = openAccountsWorld();
  await signUp(world, "ann@example.com");
  const costOf = async (email: string) => {
    const before = costsOfComparisons.length;
    await refusalOf(world.accounts.signIn(email, "not the password", HERE));
    return costsOfComparisons.slice(before);
  };
  const known = await costOf("ann@example.com");
  expect(known).toEqual([expect.stringMatching(/^\$m=\d{5}/)]);
  expect(await costOf("unknown@example.com")).toEqual(known);
});

test("a session ends after 30 days, or 7 days after its last use", async () => {
  await using world = openAccountsWorld();
  const idle = await signUp(world, "ann@example.com");
  const busy = await world.accounts.signIn("ann@example.com", PASSWORD, HERE);

  for (let day = 0; day < 30; day += 5) {
    expect(await world.sessions.find(busy.token)).toMatchObject({ sessionId: busy.sessionId });
    if (day === 5) expect(await world.sessions.find(idle.token)).toMatchObject({ sessionId: idle.sessionId });
    if (day === 15) {
      expect(await world.sessions.find(idle.token)).toBeUndefined();
      expect(await world.sessions.list(busy.accountId)).toMatchObject([{ id: busy.sessionId }]);
    }
    world.pass(5 * DAY_MS);
  }
  expect(await world.sessions.find(busy.token)).toBeUndefined();

  await world.sessions.deleteExpired();
  expect(await world.database.orm.select().from(sessionsTable)).toEqual([]);
});

test("the last use of a session is written at most every five minutes", async () => {
  await using world = openAccountsWorld();
  const { accountId, token } = await signUp(world, "ann@example.com");
  const lastSeen = async () => (await world.sessions.list(accountId))[0]!.lastSeenAt.getTime();
  const atFirst = await lastSeen();

  world.pass(4 * MINUTE_MS);
  await world.sessions.find(token);
  expect(await lastSeen()).toBe(atFirst);

  world.pass(2 * MINUTE_MS);
  await world.sessions.find(token);
  expect(await lastSeen()).toBeGreaterThanOrEqual(atFirst + 6 * MINUTE_MS);
});

test("sessions of other accounts can neither be seen nor ended", async () => {
  await using world = openAccountsWorld();
  const ann = await signUp(world, "ann@example.com");
  const bob = await signUp(world, "bob@example.com");

  expect((await refusalOf(world.sessions.end(bob.accountId, ann.sessionId, {}))).code).toBe(
    "session_not_found",
  );
  expect(await world.sessions.list(bob.accountId)).toMatchObject([{ id: bob.sessionId }]);
  expect(await world.sessions.find(ann.token)).toMatchObject({ accountId: ann.accountId });

  await world.sessions.end(ann.accountId, ann.sessionId, {});
  expect(await world.sessions.find(ann.token)).toBeUndefined();
});

test("an account keeps its 50 most recently used sessions", async () => {
  await using world = openAccountsWorld();
  const first = await signUp(world, "ann@example.com");
  const opened = [];
  for (let count = 0; count < 50; count++) {
    world.pass(1);
    opened.push(await world.sessions.open(world.database.orm, first.accountId, HERE, "password"));
  }

  expect(await world.sessions.list(first.accountId)).toHaveLength(50);
  expect(await world.sessions.find(first.token)).toBeUndefined();
  expect(await world.sessions.find(opened[0]!.token)).toBeDefined();
});

test("only hashes of tokens and passwords are stored", async () => {
  await using world = openAccountsWorld();
  const { token } = await signUp(world, "ann@example.com");

  const [account] = await world.database.orm.select().from(accountsTable);
  const [session] = await world.database.orm.select().from(sessionsTable);
  expect(account!.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(session!.tokenHash).toHaveLength(32);
  expect(JSON.stringify(session)).not.toContain(token);
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
});

test("changing the password requires the current one, ends other sessions and rotates the token", async () => {
  await using world = openAccountsWorld();
  const other = await signUp(world, "ann@example.com");
  const here = await world.accounts.signIn("ann@example.com", PASSWORD, HERE);

  const guess = world.accounts.changePassword(here, { current: "a wrong guess", next: "a stolen account" });
  expect((await refusalOf(guess)).code).toBe("wrong_credentials");
  expect(await world.sessions.find(other.token)).toBeDefined();

  const renewed = await world.accounts.changePassword(here, { current: PASSWORD, next: "a better password" });
  expect(await world.sessions.find(renewed.token)).toMatchObject({ sessionId: here.sessionId });
  expect(await world.sessions.find(here.token)).toBeUndefined();
  expect(await world.sessions.find(other.token)).toBeUndefined();
  expect((await refusalOf(world.accounts.signIn("ann@example.com", PASSWORD, HERE))).code).toBe(
    "wrong_credentials",
  );
  expect(await world.accounts.signIn("ann@example.com", "a better password", HERE)).toBeDefined();
});

test("sign-in with a password that is changed concurrently is refused", async () => {
  await using world = openAccountsWorld();
  const { accountId } = await signUp(world, "ann@example.com");
  const { orm, pool } = world.database;

  let signIn: Promise<unknown> | undefined;
  await orm.transaction(async (tx) => {
    await tx.update(accountsTable).set({ passwordHash: "another" }).where(eq(accountsTable.id, accountId));
    signIn = refusalOf(world.accounts.signIn("ann@example.com", PASSWORD, HERE)); // still sees the old one
    await someoneWaits(pool);
    await world.sessions.endAll(tx, accountId);
  });

  expect(await signIn).toMatchObject({ code: "wrong_credentials" });
  expect(await world.sessions.list(accountId)).toEqual([]);
});

async function someoneWaits(pool: AccountsWorld["database"]["pool"]): Promise<void> {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await pool.query(text)).rowCount, { interval: 20 }).toBeGreaterThan(0);
}

test.for([
  ["password1234", "common"],
  ["PassWord123!", "common"],
  ["ｐａｓｓｗｏｒｄ１２３", "common"], // full-width
  ["1234567890", "common"],
  ["qwertyuiop", "common"],
  ["xxxxxxxxxxxx", "one character"],
  ["Ann.Longname@Example.com", "your email"],
  ["ann.longname", "your email"],
  ["ann.longname@example.com1", "your email"],
  ["AnnLongname2026!", "your email"],
  ["2026-ann-longname", "your email"],
  ["example.com2026", "your email"],
  ["example-example", "your email"],
  ["Mailvet12345", "name of this service"],
])("the new password %s is refused with its reason, everywhere", async ([password, reason]) => {
  await using world = openAccountsWorld();
  const email = "ann.longname@example.com";
  const session = await signUp(world, email);
  await world.accounts.requestReset(email, HERE);
  await world.accounts.close(); // waits for emails
  const token = /token=([\w-]+)/.exec(world.passedOn[0]!.text)![1]!;

  const refusals = await Promise.all([
    refusalOf(world.accounts.signUp(email, password!, HERE)),
    refusalOf(world.accounts.changePassword(session, { current: PASSWORD, next: password! })),
    refusalOf(world.accounts.chooseNewPassword(token, password!, HERE)),
  ]);
  const refused = (pointer: string) => ({
    code: "validation_failed",
    extras: { errors: [{ pointer, message: expect.stringContaining(reason!) }] },
  });
  expect(refusals).toMatchObject([refused("/password"), refused("/new_password"), refused("/new_password")]);
  expect(await world.accounts.signIn(email, PASSWORD, HERE)).toBeDefined();
});

test("an account whose password is common keeps signing in", async () => {
  await using world = openAccountsWorld();
  const { accountId } = await signUp(world, "ann@example.com");
  const passwordHash = await hashPassword("password1234");
  await world.database.orm.update(accountsTable).set({ passwordHash }).where(eq(accountsTable.id, accountId));
  expect(await world.accounts.signIn("ann@example.com", "password1234", HERE)).toMatchObject({ accountId });
});

test("one mailbox has one account, however its domain is spelled", async () => {
  await using world = openAccountsWorld();
  const { accountId } = await signUp(world, "Ann@Bücher.example");
  expect(await world.accounts.find(accountId)).toMatchObject({ email: "ann@xn--bcher-kva.example" });

  const spellings = [
    "ann@BÜCHER.example",
    "ann@xn--bcher-kva.example",
    "ANN@XN--BCHER-KVA.EXAMPLE",
    "ann@bu\u0308cher.example",
  ];
  for (const spelling of spellings) {
    expect((await refusalOf(signUp(world, spelling))).code).toBe("email_taken");
    expect(await world.accounts.signIn(spelling, PASSWORD, HERE)).toMatchObject({ accountId });
  }
});

test("an account that was stored with another spelling keeps it, and stays the only one of its mailbox", async () => {
  await using world = openAccountsWorld();
  const { accountId } = await signUp(world, "ann@example.com");
  const store = (email: string) =>
    world.database.orm.update(accountsTable).set({ email }).where(eq(accountsTable.id, accountId));
  await store("ann@bücher.example");
  for (const spelling of ["ann@bücher.example", "ann@xn--bcher-kva.example"]) {
    expect(await world.accounts.signIn(spelling, PASSWORD, HERE)).toMatchObject({ accountId });
    expect((await refusalOf(signUp(world, spelling))).code).toBe("email_taken");
  }
  const fullWidth = "ann@ｅｘａｍｐｌｅ.com";
  await store(fullWidth);
  expect(await world.accounts.signIn(fullWidth, PASSWORD, HERE)).toMatchObject({ accountId });
});

test("spellings of one email share the limit of wrong passwords", async () => {
  await using world = openAccountsWorld();
  await signUp(world, "ann@bücher.example");
  const codes: string[] = [];
  for (let count = 0; count < 6; count++) {
    const email = count % 2 ? "ann@bücher.example" : "ann@xn--bcher-kva.example";
    codes.push((await refusalOf(world.accounts.signIn(email, "a wrong guess", visitorFrom(2)))).code);
  }
  expect(codes.slice(4)).toEqual(["wrong_credentials", "rate_limited"]);
});

test.for([
  ["ann@example。com", "full-width"],
  ["ann@ｅｘａｍｐｌｅ.com", "full-width"],
  ["ａnn@example.com", "full-width"],
  ["ﬁsh@example.com", "full-width"],
  ["a\u00adnn@example.com", "invisible"],
  ["ann\u200b@example.com", "invisible"],
  ["аnn@example.com", "alphabets"], // Cyrillic а
  ["ann@ехample.com", "alphabets"], // Cyrillic е and х
  ["ann@xn--ample-ywe6i.com", "alphabets"], // the same as an A-label
  ["ann@оррԁ.com", "alphabets"], // Cyrillic only, and all of it looks Latin
])("sign-up with %s is refused: its characters look like others", async ([email, reason]) => {
  await using world = openAccountsWorld();
  expect(await refusalOf(signUp(world, email!))).toMatchObject({
    code: "validation_failed",
    extras: { errors: [{ pointer: "/email", message: expect.stringContaining(reason!) }] },
  });
});

test.for([
  "josé@example.com",
  "иван@почта.рф",
  "ann@例え.jp",
  "user@köln.example",
  "o'neil+x_1@example.com",
  "γιώργος@example.gr",
])("sign-up with %s is accepted", async (email) => {
  await using world = openAccountsWorld();
  expect(await signUp(world, email)).toBeDefined();
});
