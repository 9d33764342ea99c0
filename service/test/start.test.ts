/** The program from start to stop and restart, as an operator uses it. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { mailDomain, openLab, saysNothing } from "@mailvet/lab";
import { afterAll, expect, test, vi } from "vitest";
import { serverPid } from "../../embedded-postgres/test/launcher-program.ts";
import { PATIENCE } from "./patience.ts";
import { openProgramInstallation, untilUnderWay } from "./program.ts";

const KEY = "a-key-that-the-operator-chose";

/** For tests of which none is about a first start: to create a database takes as long as to start. */
const installation = openProgramInstallation();
afterAll(() => installation[Symbol.asyncDispose]());

test("the first start prints credentials and a working curl command; the next one keeps everything", async () => {
  await using installation = openProgramInstallation();
  const first = await installation.start();
  const said = first.output();

  const line = /^ {2}(curl .*)$/m.exec(said)?.[1];
  const result = JSON.parse(execFileSync("sh", ["-c", `${line} --silent`], { encoding: "utf8" }));
  expect(result).toMatchObject({ email: "valid@mailvet.test", status: "valid", is_valid: true });
  const email = /sign in as +(\S+)/.exec(said)?.[1];
  const password = /password +(\S+)/.exec(said)?.[1];
  const signIn = await fetch(`${first.url}/api/v1/auth/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  expect(signIn.status).toBe(200);
  const cookie = signIn.headers.getSetCookie()[0]!.split(";", 1)[0]!;

  first.child.kill("SIGTERM");
  expect(await first.exit()).toBe(0);
  expect(first.output()).toContain("mailvet has stopped");
  expect(serverPid(installation.dataDirectory)).toBeUndefined();

  const second = await installation.start();
  expect(second.output()).not.toContain("password");
  const key = /mv_live_\w+/.exec(said)![0];
  const account = await fetch(`${second.url}/api/v1/account`, { headers: { "x-api-key": key } });
  expect(await account.json()).toMatchObject({
    is_operator: true,
    credits: { balance: 999_999, reserved: 0 },
  });
  const session = await fetch(`${second.url}/api/v1/auth/session`, { headers: { cookie } });
  expect(session.status).toBe(200);
});

test("a second service on the same data directory is refused, and the first one is not affected", async () => {
  const first = await installation.start({ BOOTSTRAP_API_KEY: KEY });
  const second = await installation.start({ BOOTSTRAP_API_KEY: KEY });

  expect(await second.exit()).toBe(1);
  expect(second.output()).toContain(installation.dataDirectory);
  expect(second.output()).toContain(`Another process (${first.child.pid})`);
  expect(second.output()).not.toMatch(/^ +at /m); // a message, not a stack trace
  await expect.poll(async () => (await fetch(`${first.url}/health/ready`)).status).toBe(200);
  first.child.kill("SIGTERM");
  expect(await first.exit()).toBe(0);
});

test("a key and a password from the settings are used", async () => {
  await using installation = openProgramInstallation();
  const chosen = {
    BOOTSTRAP_API_KEY: KEY,
    ADMIN_EMAIL: "ops@team.example",
    ADMIN_PASSWORD: "chosen by the operator",
  };
  const program = await installation.start(chosen);

  expect(program.output()).not.toContain("mv_live_");
  expect(program.output()).not.toContain(chosen.ADMIN_PASSWORD);
  expect(program.output()).not.toContain(KEY);
  const answer = await fetch(`${program.url}/api/v1/account`, { headers: { "x-api-key": KEY } });
  expect(await answer.json()).toMatchObject({ email: "ops@team.example", plan: "enterprise" });
  // The bundler must not drop the check of the encoding.
  const notUtf8 = `${program.url}/api/v1/validation/single?email=j%F6rg@mailvet.test`;
  expect((await fetch(notUtf8, { headers: { "x-api-key": KEY } })).status).toBe(400);
});

test("secrets from files are used, under each name of a setting, and never printed", async () => {
  await using installation = openProgramInstallation();
  const fileWith = (name: string, content: string) => {
    const file = join(installation.folder, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };
  const password = "chosen by the operator";
  const settings = {
    BOOTSTRAP_API_KEY_FILE: fileWith("key", `${KEY}\n`),
    MAILVET_ADMIN_PASSWORD_FILE: fileWith("password", password),
    MAILVET_ADMIN_EMAIL: "ops@team.example",
  };
  const program = await installation.start(settings);
  const answer = await fetch(`${program.url}/api/v1/account`, { headers: { "x-api-key": KEY } });
  expect(await answer.json()).toMatchObject({ email: "ops@team.example" });
  for (const secret of [KEY, password]) expect(program.output()).not.toContain(secret);
  program.child.kill("SIGTERM");
  expect(await program.exit()).toBe(0);

  const refused = await installation.start({
    ...settings,
    BOOTSTRAP_API_KEY: KEY,
    METRICS_TOKEN_FILE: fileWith("token", "too-short"),
    DATABASE_URL_FILE: fileWith("url", "mysql://ann:s3cret@db.example/mailvet"),
    MAIL_URL_FILE: join(installation.folder, "missing"),
    MAILVET_PORT: "80",
  });
  expect(await refused.exit()).toBe(2);
  const said = refused.output();
  expect(said).toContain("BOOTSTRAP_API_KEY and BOOTSTRAP_API_KEY_FILE are both set: set one of them");
  expect(said).toContain("PORT and MAILVET_PORT are both set: set one of them");
  expect(said).toMatch(/METRICS_TOKEN_FILE=\S+token: expected 16 characters or more/);
  expect(said).toMatch(/DATABASE_URL_FILE=\S+url: expected postgres:/);
  expect(said).toMatch(/MAIL_URL_FILE=\S+missing: cannot be read: ENOENT/);
  for (const secret of [KEY, password, "too-short", "s3cret"]) expect(said).not.toContain(secret);
});

test("on SIGTERM requests in flight finish, and new ones are refused", async () => {
  const program = await installation.start({ BOOTSTRAP_API_KEY: KEY });
  const askSlowly = () =>
    fetch(`${program.url}/api/v1/validation/single?email=slow-3s@mailvet.test`, {
      headers: { "x-api-key": KEY },
    });
  let slow = askSlowly();
  const isOver = () => Promise.race([slow.then(() => true), untilUnderWay(program, 1).then(() => false)]);
  while (await isOver()) slow = askSlowly(); // it was answered before it was seen
  program.child.kill("SIGTERM");

  const answer = await slow;
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ status: "valid" });
  expect(await program.exit()).toBe(0);
});

test("SIGTERM does not wait for a silent mail server: the list is answered, and no process is left", async () => {
  await using lab = await openLab({ "mute.test": mailDomain({ temper: saysNothing({ at: "banner" }) }) });
  const program = await installation.start({
    BOOTSTRAP_API_KEY: KEY,
    ...lab.env,
  });
  const list = fetch(`${program.url}/api/v1/validation/bulk`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json" },
    body: JSON.stringify({ emails: ["ann@mute.test", "catch-all@mailvet.test"] }),
  });
  await vi.waitFor(() => expect(lab.counts("mx.mute.test").connections).toBe(1), PATIENCE);
  program.child.kill("SIGTERM");

  const answer = await list;
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    results: [
      { status: "unknown", sub_status: "smtp_timeout", retry_after: 30 },
      { status: "risky", sub_status: "catch_all" },
    ],
  });
  expect(await program.exit()).toBe(0);
  expect(serverPid(installation.dataDirectory)).toBeUndefined();
});

test("settings are read from .env, and the environment takes precedence", async () => {
  const file = join(installation.folder, ".env");
  writeFileSync(file, "LOG_LEVEL=loud\n");
  const program = await installation.start();
  expect(program.output()).toContain("LOG_LEVEL=loud");
  const overruled = await installation.start({ MAILVET_LOG_LEVEL: "error" });
  expect(overruled.output()).toContain("listens on");
  rmSync(file);
  overruled.child.kill("SIGTERM");
  expect(await overruled.exit()).toBe(0);
});

test("every bad setting is named at once, no secret is shown, and nothing starts", async () => {
  const program = await installation.start({
    PORT: "eighty",
    ADMIN_PASSWORD: "short",
    BOOTSTRAP_API_KEY: "too-short",
  });
  expect(await program.exit()).toBe(2);
  expect(program.output()).toContain("PORT=eighty: expected a whole number from 0 to 65535");
  expect(program.output()).toContain("ADMIN_PASSWORD=***");
  expect(program.output()).toContain("BOOTSTRAP_API_KEY=***");
});

test("a port in use is reported with a remedy before anything is created", async () => {
  await using installation = openProgramInstallation();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const program = await installation.start({ PORT: String(port) });
  expect(await program.exit()).toBe(1);
  expect(program.output()).toContain("set PORT to a free port");
  expect(existsSync(installation.dataDirectory)).toBe(false);
  other.close();
});

test("an unreachable database is reported without a stack trace", async () => {
  const program = await installation.start({ DATABASE_URL: "postgres://mailvet:hidden@127.0.0.1:9/mailvet" });
  expect(await program.exit()).toBe(1);
  expect(program.output()).toContain(
    "Cannot connect to the database of DATABASE_URL: connect ECONNREFUSED 127.0.0.1:9",
  );
  expect(program.output()).not.toMatch(/hidden|^ +at /m);
});
