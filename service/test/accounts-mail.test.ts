import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { accounts as accountsTable } from "../src/accounts/schema.ts";
import { ledger as ledgerTable } from "../src/credits/schema.ts";
import {
  DAY_MS,
  MINUTE_MS,
  PUBLIC_URL,
  refusalOf,
  visitorFrom,
  worldsOnOneDatabase,
} from "./accounts-world.ts";
import { openMailServer } from "./mail-server.ts";
import { createSoftwareAuthenticator } from "./software-authenticator.ts";

const openAccountsWorld = worldsOnOneDatabase();

const HERE = visitorFrom(1);
const EMAIL = "ann@example.com";
const PASSWORD = "a long enough password";
const NEW_PASSWORD = "a much better password";

function tokenIn({ content }: { content: string }, path: string): string {
  const token = new RegExp(`${PUBLIC_URL}/${path}\\?(?:\\w+=yes&)?token=([\\w-]+)`).exec(content)?.[1];
  if (!token) throw new Error(`no link to ${path} in ${content}`);
  return token;
}

test("with a mail server an account is confirmed by the emailed link, once", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });

  expect(await world.accounts.signUp(EMAIL, PASSWORD, HERE)).toBeUndefined();
  const mail = await post.received(1);
  expect(mail).toMatchObject({ to: [EMAIL], from: "mailvet@example.net" });
  expect(mail.content).toContain("Auto-Submitted: auto-generated");
  expect((await refusalOf(world.accounts.signIn(EMAIL, PASSWORD, HERE))).code).toBe("wrong_credentials");

  const token = tokenIn(mail, "confirm-email");
  expect((await refusalOf(world.accounts.chooseNewPassword(token, NEW_PASSWORD, HERE))).code).toBe(
    "link_expired",
  );
  const { accountId } = await world.accounts.confirmEmail(token, HERE);
  expect((await refusalOf(world.accounts.confirmEmail(token, HERE))).code).toBe("link_expired");
  expect(await world.accounts.signIn(EMAIL, PASSWORD, HERE)).toMatchObject({ accountId });
  expect(await world.accounts.find(accountId)).toMatchObject({ email: EMAIL, balance: 100 });
});

test("credits are given when the mailbox is confirmed, once, by either link", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  const credits = async () => {
    const { rows } = await world.database.pool.query<{ balance: string }>(
      "select balance from balances b join accounts a on a.id = b.account_id order by a.created_at",
    );
    return rows.map(({ balance }) => Number(balance));
  };
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);
  const first = await post.received(1);
  expect(await credits()).toEqual([0]);
  await world.accounts.confirmEmail(tokenIn(first, "confirm-email"), HERE);
  expect(await credits()).toEqual([100]);

  const bob = "bob@example.com";
  await world.accounts.signUp(bob, PASSWORD, HERE);
  await post.received(2);
  await world.accounts.signUp(bob, PASSWORD, HERE);
  const token = tokenIn(await post.received(3), "reset-password");
  expect(await credits()).toEqual([100, 0]);
  await world.accounts.chooseNewPassword(token, NEW_PASSWORD, HERE);
  expect(await credits()).toEqual([100, 100]);
  await world.accounts.requestReset(bob, HERE);
  const reset = tokenIn(await post.with("Reset your Mailvet password"), "reset-password");
  await world.accounts.chooseNewPassword(reset, PASSWORD, HERE);
  expect(await credits()).toEqual([100, 100]);
});

test("a suspended account gets no mail to reset its password, and an earlier link does not work", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);
  const { accountId } = await world.accounts.confirmEmail(
    tokenIn(await post.received(1), "confirm-email"),
    HERE,
  );
  await world.accounts.requestReset(EMAIL, HERE);
  const token = tokenIn(await post.received(2), "reset-password");
  await world.accounts.markSuspended(accountId, "unpaid");

  const reset = world.accounts.chooseNewPassword(token, NEW_PASSWORD, HERE);
  expect((await refusalOf(reset)).code).toBe("account_suspended");
  await world.accounts.requestReset(EMAIL, HERE);
  await world.accounts.close();
  expect(post.mails).toHaveLength(2);
  await world.accounts.markResumed(accountId);
  await world.accounts.chooseNewPassword(token, NEW_PASSWORD, HERE);

  // Nor does one that is not confirmed yet, by another sign-up.
  const bob = "bob@example.com";
  await world.accounts.signUp(bob, PASSWORD, HERE);
  await world.accounts.close();
  const { rows } = await world.database.pool.query("select id from accounts where email = $1", [bob]);
  await world.accounts.markSuspended(rows[0].id, "unpaid");
  await world.accounts.signUp(bob, PASSWORD, HERE);
  await world.accounts.close();
  expect(post.mails.at(-1)).toMatchObject({ to: [bob] });
  expect(post.mails.at(-1)!.content).not.toContain("reset-password");
});

test("sign-up for an existing account has the same response, and only its owner is notified", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);
  await world.accounts.confirmEmail(tokenIn(await post.received(1), "confirm-email"), HERE);

  expect(await world.accounts.signUp(EMAIL, "an outsider's password", visitorFrom(2))).toBeUndefined();

  const notice = await post.received(2);
  expect(notice.to).toEqual([EMAIL]);
  expect(notice.content).toContain("it already has an account");
  expect(notice.content).not.toContain("token=");
  expect(await world.accounts.signIn(EMAIL, PASSWORD, HERE)).toBeDefined();
  expect(await world.database.orm.select().from(ledgerTable)).toHaveLength(1);
});

test("of two sign-ups with one email only the owner of the mailbox chooses the password", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  await world.accounts.signUp(EMAIL, "an outsider's password", visitorFrom(2));
  const first = await post.received(1);
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);
  const second = await post.received(2);

  const stale = world.accounts.confirmEmail(tokenIn(first, "confirm-email"), HERE);
  expect((await refusalOf(stale)).code).toBe("link_expired");
  await world.accounts.chooseNewPassword(tokenIn(second, "reset-password"), NEW_PASSWORD, HERE);

  const outsider = world.accounts.signIn(EMAIL, "an outsider's password", visitorFrom(2));
  expect((await refusalOf(outsider)).code).toBe("wrong_credentials");
  expect(await world.accounts.signIn(EMAIL, NEW_PASSWORD, HERE)).toBeDefined();
});

test("unconfirmed sign-ups are deleted after a week", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);
  await world.accounts.signUp("bob@example.com", PASSWORD, HERE);
  await post.received(2);
  const bobs = post.mails.find(({ to }) => to.includes("bob@example.com"))!;
  await world.accounts.confirmEmail(tokenIn(bobs, "confirm-email"), HERE);

  world.pass(6 * DAY_MS);
  await world.accounts.deleteExpired();
  const both = await world.database.orm.select().from(accountsTable);
  expect(both).toHaveLength(2);
  world.pass(DAY_MS);
  await world.accounts.deleteExpired();
  expect(await world.database.orm.select().from(accountsTable)).toMatchObject([{ email: "bob@example.com" }]);
  const { rows } = await world.database.pool.query("select action from audit_entries where account_id = $1", [
    both.find(({ email }) => email === EMAIL)!.id,
  ]);
  expect(rows).toEqual([{ action: "account.deleted" }]);
});

test("a password is reset with the emailed link: once, within 30 minutes, ending all sessions", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);
  const session = await world.accounts.confirmEmail(tokenIn(await post.received(1), "confirm-email"), HERE);

  await world.accounts.requestReset("Ann@Example.com", HERE);
  const late = tokenIn(await post.received(2), "reset-password");
  world.pass(30 * MINUTE_MS);
  expect((await refusalOf(world.accounts.chooseNewPassword(late, NEW_PASSWORD, HERE))).code).toBe(
    "link_expired",
  );

  await world.accounts.requestReset(EMAIL, HERE);
  const token = tokenIn(await post.received(3), "reset-password");
  for (let count = 0; count < 5; count++) await refusalOf(world.accounts.signIn(EMAIL, "was it this?", HERE));
  const uses = await Promise.allSettled(
    ["first", "second"].map((which) =>
      world.accounts.chooseNewPassword(token, `${NEW_PASSWORD} ${which}`, HERE),
    ),
  );
  expect(uses.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await world.sessions.find(session.token)).toBeUndefined();
  const chosen = uses[0]!.status === "fulfilled" ? "first" : "second";
  // At once, although five wrong attempts came before.
  expect(await world.accounts.signIn(EMAIL, `${NEW_PASSWORD} ${chosen}`, HERE)).toBeDefined();
  expect((await post.received(4)).content).toContain("was changed");
});

test("password reset does not reveal accounts and limits emails per mailbox", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);
  await post.received(1);

  await world.accounts.requestReset("nobody@example.com", HERE);
  for (let network = 10; network < 20; network++) {
    await world.accounts.requestReset(EMAIL, visitorFrom(network)); // the same response beyond the limit
  }
  await world.accounts.close();
  expect(post.mails.map(({ to }) => to)).toEqual(Array(5).fill([EMAIL]));

  for (let count = 1; count < 10; count++) await world.accounts.requestReset(EMAIL, HERE);
  expect((await refusalOf(world.accounts.requestReset(EMAIL, HERE))).code).toBe("rate_limited");
});

test("a sign-in from a new network, not a new address of a known one, is told by email", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);
  await world.accounts.confirmEmail(tokenIn(await post.received(1), "confirm-email"), HERE);
  const told = () =>
    post.mails.filter(({ content }) => content.includes("a network that was not used before")).length;
  const signInFrom = async (ip: string) => {
    await world.accounts.signIn(EMAIL, PASSWORD, { ip, userAgent: "A browser" });
    await world.accounts.close(); // waits for emails
    return told();
  };
  expect(await signInFrom("198.51.0.77")).toBe(0);
  expect(await signInFrom("198.51.1.77")).toBe(1);
  expect(post.mails.at(-1)!.content).toContain("198.51.1.77");
  expect(await signInFrom("198.51.1.78")).toBe(1);
  expect(await signInFrom("2001:db8:1:2::1")).toBe(2);
  expect(await signInFrom("2001:db8:1:3::1")).toBe(2);
  expect(await signInFrom("2001:db8:2:3::1")).toBe(3);
  expect(await signInFrom("::ffff:198.51.1.9")).toBe(3);

  // Known by a sign-in with an earlier release, which remembered the address only.
  await world.database.pool.query("delete from known_clients where client_hash <> $1", [
    createHash("sha256").update("network 198.51.0.77").digest(),
  ]);
  expect(await signInFrom("198.51.0.77")).toBe(3);
  expect(await signInFrom("198.51.1.77")).toBe(4);

  const site = { rpId: new URL(PUBLIC_URL).hostname, origin: PUBLIC_URL };
  const known = { ip: "198.51.1.77", userAgent: "A browser" };
  const session = await world.accounts.signIn(EMAIL, PASSWORD, known);
  const passkey = createSoftwareAuthenticator(PUBLIC_URL);
  const options = await world.accounts.beginPasskey(session, { password: PASSWORD }, site);
  const credential = passkey.create(options);
  await world.accounts.addPasskey(session, { name: "phone", credential }, site);
  const elsewhere = { ...known, ip: "198.51.3.77" };
  const challenge = await world.accounts.passkeyChallenge(site, elsewhere);
  await world.accounts.signInWithPasskey(passkey.get(challenge), site, elsewhere);
  await world.accounts.close();
  expect(told()).toBe(5);
});

test("an unreachable mail server changes no response and is logged", async () => {
  await using world = openAccountsWorld({
    mail: { url: "smtp://127.0.0.1:9", sender: "mailvet@example.net" },
  });

  expect(await world.accounts.signUp(EMAIL, PASSWORD, HERE)).toBeUndefined();
  await world.accounts.close();
  const [failed, ...others] = world.events;
  expect(failed).toMatchObject({
    event: "background_task_failed",
    task: "sign_up",
    err: { code: "ESOCKET" },
  });
  expect([String(failed!.err), others]).toEqual([expect.not.stringContaining(EMAIL), []]);
});

test("without a mail server the operator gets the email to pass on", async () => {
  await using world = openAccountsWorld();
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);

  await world.accounts.requestReset(EMAIL, HERE);
  await world.accounts.close();
  expect(world.passedOn).toMatchObject([{ to: EMAIL }]);
  const token = tokenIn({ content: world.passedOn[0]!.text }, "reset-password");
  await world.accounts.chooseNewPassword(token, NEW_PASSWORD, HERE);
  expect(await world.accounts.signIn(EMAIL, NEW_PASSWORD, HERE)).toBeDefined();
});

test("the owner is told once a day that many wrong passwords were tried", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);
  await world.accounts.confirmEmail(tokenIn(await post.received(1), "confirm-email"), HERE);

  const guessFrom = (network: number) =>
    refusalOf(world.accounts.signIn(EMAIL, "a wrong guess", visitorFrom(network)));
  for (let network = 100; network < 119; network++) await guessFrom(network);
  await world.accounts.close(); // waits for emails
  expect(post.mails).toHaveLength(1);

  for (let network = 119; network < 130; network++) await guessFrom(network);
  world.pass(5 * MINUTE_MS);
  for (let network = 130; network < 160; network++) await guessFrom(network);
  await world.accounts.close();
  expect(post.mails).toHaveLength(2);
  const notice = await post.received(2);
  expect(notice.to).toEqual([EMAIL]);
  expect(notice.content).toContain("wrong passwords");

  world.pass(DAY_MS);
  for (let network = 100; network < 120; network++) await guessFrom(network);
  await world.accounts.close();
  expect(post.mails).toHaveLength(3);
});

test("an invitation is sent by email and not shown to the operator", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail, settings: { signUp: "closed" } });
  const { accountId, link } = await world.accounts.invite({ email: EMAIL, plan: "growth" }, {});
  expect(link).toBeUndefined();
  const mail = await post.received(1);
  expect(mail.to).toEqual([EMAIL]);
  await world.accounts.chooseNewPassword(tokenIn(mail, "reset-password"), PASSWORD, HERE);
  expect(await world.accounts.signIn(EMAIL, PASSWORD, HERE)).toMatchObject({ accountId });
  expect(post.mails).toHaveLength(1); // not told of a changed password
});

test("a new email applies when its link is opened, once, and both addresses are told", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  const { accountId } = await world.accounts.invite({ email: EMAIL }, {});
  await world.accounts.chooseNewPassword(tokenIn(await post.received(1), "reset-password"), PASSWORD, HERE);
  const next = "ann@new.example.com";
  expect(await world.accounts.changeEmail(accountId, { email: next }, {})).toBe("mail_sent");
  const mail = await post.received(2);
  expect([mail.to, (await world.accounts.find(accountId)).email]).toEqual([[next], EMAIL]);
  const token = tokenIn(mail, "confirm-email");
  await world.accounts.confirmNewEmail(token, {});
  expect((await world.accounts.find(accountId)).email).toBe(next);
  expect((await refusalOf(world.accounts.confirmNewEmail(token, {}))).code).toBe("link_expired");
  await post.received(4);
  expect(
    post.mails
      .slice(2)
      .flatMap(({ to }) => to)
      .sort(),
  ).toEqual([EMAIL, next].sort());
  expect(await world.accounts.signIn(next, PASSWORD, HERE)).toMatchObject({ accountId });
});

test("of two links for a new email only the later one works: the first may have gone to a wrong address", async () => {
  await using post = await openMailServer();
  await using world = openAccountsWorld({ mail: post.mail });
  const { accountId } = await world.accounts.invite({ email: EMAIL }, {});
  await world.accounts.chooseNewPassword(tokenIn(await post.received(1), "reset-password"), PASSWORD, HERE);
  await world.accounts.changeEmail(accountId, { email: "mistyped@new.example.com" }, {});
  const wrong = tokenIn(await post.received(2), "confirm-email");
  await world.accounts.changeEmail(accountId, { email: "ann@new.example.com" }, {});
  const right = tokenIn(await post.received(3), "confirm-email");
  expect((await refusalOf(world.accounts.confirmNewEmail(wrong, {}))).code).toBe("link_expired");
  await world.accounts.confirmNewEmail(right, {});
  expect((await world.accounts.find(accountId)).email).toBe("ann@new.example.com");
  await post.received(5);
});

test("the owner is told of passkeys that are added and removed, and of those that a password reset leaves", async () => {
  await using server = await openMailServer();
  await using world = openAccountsWorld({ mail: server.mail });
  await world.accounts.signUp(EMAIL, PASSWORD, HERE);
  const session = await world.accounts.confirmEmail(tokenIn(await server.received(1), "confirm-email"), HERE);
  const site = { rpId: new URL(PUBLIC_URL).hostname, origin: PUBLIC_URL };
  const add = async (name: string) => {
    const options = await world.accounts.beginPasskey(session, { password: PASSWORD }, site);
    const credential = createSoftwareAuthenticator(PUBLIC_URL).create(options);
    return world.accounts.addPasskey(session, { name, credential }, site);
  };
  const { id } = await add("laptop\r\nBcc: all@example.com");
  const added = (await server.received(2)).content;
  expect(added).toContain("Subject: A passkey was added to your Mailvet account");
  expect(added).toContain('"laptop Bcc: all@example.com"');
  await add("phone");
  await server.received(3);
  await world.accounts.removePasskey(session, id, { password: PASSWORD }, undefined);
  expect((await server.received(4)).content).toContain(
    "Subject: A passkey was removed from your Mailvet account",
  );

  const reset = async (number: number, password: string, removePasskeys: boolean) => {
    await world.accounts.requestReset(EMAIL, HERE);
    const token = tokenIn(await server.received(number), "reset-password");
    await world.accounts.chooseNewPassword(token, password, HERE, { removePasskeys });
    return (await server.received(number + 1)).content;
  };
  const left = () => world.accounts.listPasskeys(session.accountId);
  expect(await reset(5, NEW_PASSWORD, false)).toContain("The account has passkeys (1), which still sign in.");
  expect(await left()).toMatchObject([{ name: "phone" }]);
  expect(await reset(7, PASSWORD, true)).toContain("All passkeys of the account were removed.");
  expect(await left()).toEqual([]);
});
