import { SMTPServer } from "smtp-server";
import { expect, test } from "vitest";
import type { MailSettings } from "../src/accounts/mailer.ts";
import { accounts as accountsTable } from "../src/accounts/schema.ts";
import { ledger as ledgerTable } from "../src/credits/schema.ts";
import {
  DAY_MS,
  housesOnOneDatabase,
  MINUTE_MS,
  PUBLIC_URL,
  refusalOf,
  visitorFrom,
} from "./accounts-house.ts";

const openAccountsHouse = housesOnOneDatabase();

const HERE = visitorFrom(1);
const EMAIL = "ann@example.com";
const PASSWORD = "a long enough password";
const NEW_PASSWORD = "a much better password";

type ReceivedMail = { to: string[]; from: string; content: string };

/** A mail server on loopback that keeps what it gets. */
async function openMailServer() {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, content: unfolded(Buffer.concat(chunks).toString()) });
        done();
      });
    },
  });
  server.on("error", () => {}); // a client that hangs up is its own affair
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as { port: number };
  const mail: MailSettings = { url: `smtp://127.0.0.1:${port}`, sender: "mailvet@example.net" };
  return {
    mail,
    mails,
    /** The mail with this number, once it is here. */
    async received(number: number): Promise<ReceivedMail> {
      await expect.poll(() => mails.length).toBeGreaterThanOrEqual(number);
      return mails[number - 1]!;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Quoted-printable text as it was written. */
function unfolded(content: string): string {
  return content
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function tokenIn({ content }: { content: string }, path: string): string {
  const token = new RegExp(`${PUBLIC_URL}/${path}\\?token=([\\w-]+)`).exec(content)?.[1];
  if (!token) throw new Error(`no link to ${path} in ${content}`);
  return token;
}

test("with a mail server an account is confirmed by the emailed link, once", async () => {
  await using post = await openMailServer();
  await using house = openAccountsHouse({ mail: post.mail });

  expect(await house.accounts.signUp(EMAIL, PASSWORD, HERE)).toBeUndefined();
  const mail = await post.received(1);
  expect(mail).toMatchObject({ to: [EMAIL], from: "mailvet@example.net" });
  expect(mail.content).toContain("Auto-Submitted: auto-generated");
  expect((await refusalOf(house.accounts.signIn(EMAIL, PASSWORD, HERE))).code).toBe("wrong_credentials");

  const token = tokenIn(mail, "confirm-email");
  expect((await refusalOf(house.accounts.chooseNewPassword(token, NEW_PASSWORD, HERE))).code).toBe(
    "link_expired",
  );
  const { accountId } = await house.accounts.confirmEmail(token, HERE);
  expect((await refusalOf(house.accounts.confirmEmail(token, HERE))).code).toBe("link_expired");
  expect(await house.accounts.signIn(EMAIL, PASSWORD, HERE)).toMatchObject({ accountId });
  expect(await house.accounts.find(accountId)).toMatchObject({ email: EMAIL, balance: 100 });
});

test("sign-up for an existing account has the same response, and only its owner is notified", async () => {
  await using post = await openMailServer();
  await using house = openAccountsHouse({ mail: post.mail });
  await house.accounts.signUp(EMAIL, PASSWORD, HERE);
  await house.accounts.confirmEmail(tokenIn(await post.received(1), "confirm-email"), HERE);

  expect(await house.accounts.signUp(EMAIL, "a stranger's password", visitorFrom(2))).toBeUndefined();

  const notice = await post.received(2);
  expect(notice.to).toEqual([EMAIL]);
  expect(notice.content).toContain("it already has an account");
  expect(notice.content).not.toContain("token=");
  expect(await house.accounts.signIn(EMAIL, PASSWORD, HERE)).toBeDefined();
  expect(await house.database.orm.select().from(ledgerTable)).toHaveLength(1);
});

test("of two sign-ups with one email only the owner of the mailbox chooses the password", async () => {
  await using post = await openMailServer();
  await using house = openAccountsHouse({ mail: post.mail });
  await house.accounts.signUp(EMAIL, "a stranger's password", visitorFrom(2));
  const first = await post.received(1);
  await house.accounts.signUp(EMAIL, PASSWORD, HERE);
  const second = await post.received(2);

  const stale = house.accounts.confirmEmail(tokenIn(first, "confirm-email"), HERE);
  expect((await refusalOf(stale)).code).toBe("link_expired");
  await house.accounts.chooseNewPassword(tokenIn(second, "reset-password"), NEW_PASSWORD, HERE);

  const stranger = house.accounts.signIn(EMAIL, "a stranger's password", visitorFrom(2));
  expect((await refusalOf(stranger)).code).toBe("wrong_credentials");
  expect(await house.accounts.signIn(EMAIL, NEW_PASSWORD, HERE)).toBeDefined();
});

test("unconfirmed sign-ups are deleted after a week", async () => {
  await using post = await openMailServer();
  await using house = openAccountsHouse({ mail: post.mail });
  await house.accounts.signUp(EMAIL, PASSWORD, HERE);
  await house.accounts.signUp("bob@example.com", PASSWORD, HERE);
  await post.received(2);
  const bobs = post.mails.find(({ to }) => to.includes("bob@example.com"))!;
  await house.accounts.confirmEmail(tokenIn(bobs, "confirm-email"), HERE);

  house.pass(6 * DAY_MS);
  await house.accounts.deleteExpired();
  expect(await house.database.orm.select().from(accountsTable)).toHaveLength(2);
  house.pass(DAY_MS);
  await house.accounts.deleteExpired();
  expect(await house.database.orm.select().from(accountsTable)).toMatchObject([{ email: "bob@example.com" }]);
});

test("a password is reset with the emailed link: once, within 30 minutes, ending all sessions", async () => {
  await using post = await openMailServer();
  await using house = openAccountsHouse({ mail: post.mail });
  await house.accounts.signUp(EMAIL, PASSWORD, HERE);
  const session = await house.accounts.confirmEmail(tokenIn(await post.received(1), "confirm-email"), HERE);

  await house.accounts.requestReset("Ann@Example.com", HERE);
  const late = tokenIn(await post.received(2), "reset-password");
  house.pass(30 * MINUTE_MS);
  expect((await refusalOf(house.accounts.chooseNewPassword(late, NEW_PASSWORD, HERE))).code).toBe(
    "link_expired",
  );

  await house.accounts.requestReset(EMAIL, HERE);
  const token = tokenIn(await post.received(3), "reset-password");
  for (let count = 0; count < 5; count++) await refusalOf(house.accounts.signIn(EMAIL, "was it this?", HERE));
  const uses = await Promise.allSettled(
    ["first", "second"].map((which) =>
      house.accounts.chooseNewPassword(token, `${NEW_PASSWORD} ${which}`, HERE),
    ),
  );
  expect(uses.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await house.sessions.find(session.token)).toBeUndefined();
  const chosen = uses[0]!.status === "fulfilled" ? "first" : "second";
  // Right away, although five wrong ones came before.
  expect(await house.accounts.signIn(EMAIL, `${NEW_PASSWORD} ${chosen}`, HERE)).toBeDefined();
  expect((await post.received(4)).content).toContain("was changed");
});

test("password reset does not reveal accounts and limits emails per mailbox", async () => {
  await using post = await openMailServer();
  await using house = openAccountsHouse({ mail: post.mail });
  await house.accounts.signUp(EMAIL, PASSWORD, HERE);
  await post.received(1);

  await house.accounts.requestReset("nobody@example.com", HERE);
  for (let network = 10; network < 20; network++) {
    await house.accounts.requestReset(EMAIL, visitorFrom(network)); // as silent when it is one too many
  }
  await house.accounts.close();
  expect(post.mails.map(({ to }) => to)).toEqual(Array(5).fill([EMAIL]));

  for (let count = 1; count < 10; count++) await house.accounts.requestReset(EMAIL, HERE);
  expect((await refusalOf(house.accounts.requestReset(EMAIL, HERE))).code).toBe("rate_limited");
});

test("an unreachable mail server changes no response and is logged", async () => {
  const post = await openMailServer();
  await post[Symbol.asyncDispose]();
  await using house = openAccountsHouse({ mail: post.mail });

  expect(await house.accounts.signUp(EMAIL, PASSWORD, HERE)).toBeUndefined();
  await house.accounts.close();
  const [failed, ...others] = house.events;
  expect(failed).toMatchObject({
    event: "background_task_failed",
    task: "sign_up",
    err: { code: "ESOCKET" },
  });
  expect([String(failed!.err), others]).toEqual([expect.not.stringContaining(EMAIL), []]);
});

test("without a mail server the operator gets the email to pass on", async () => {
  await using house = openAccountsHouse();
  await house.accounts.signUp(EMAIL, PASSWORD, HERE);

  await house.accounts.requestReset(EMAIL, HERE);
  await house.accounts.close();
  expect(house.passedOn).toMatchObject([{ to: EMAIL }]);
  const token = tokenIn({ content: house.passedOn[0]!.text }, "reset-password");
  await house.accounts.chooseNewPassword(token, NEW_PASSWORD, HERE);
  expect(await house.accounts.signIn(EMAIL, NEW_PASSWORD, HERE)).toBeDefined();
});
