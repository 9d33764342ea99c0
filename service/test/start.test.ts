/** The program as its operator meets it: started, tried, stopped, started again. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { mailDomain, openLab, saysNothing } from "@mailvet/lab";
import { expect, test, vi } from "vitest";
import { serverPid } from "../../embedded-postgres/test/launcher-program.ts";
import { PATIENCE } from "./patience.ts";
import { openProgramHouse } from "./program.ts";

const KEY = "a-key-that-the-operator-chose";

test("the first start says how to sign in and prints a curl line that works as it stands; the next one keeps everything", async () => {
  await using house = openProgramHouse();
  const first = await house.start();
  const said = first.words();

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
  expect(first.words()).toContain("mailvet has stopped");
  expect(serverPid(house.dataDirectory)).toBeUndefined();

  const second = await house.start();
  expect(second.words()).not.toContain("password");
  const key = /mv_live_\w+/.exec(said)![0];
  const account = await fetch(`${second.url}/api/v1/account`, { headers: { "x-api-key": key } });
  expect(await account.json()).toMatchObject({
    is_operator: true,
    credits: { balance: 999_999, reserved: 0 },
  });
  const session = await fetch(`${second.url}/api/v1/auth/session`, { headers: { cookie } });
  expect(session.status).toBe(200);
});

test("a second service on the same data directory is told so, and the first one is not disturbed", async () => {
  await using house = openProgramHouse();
  const first = await house.start();
  const second = await house.start();

  expect(await second.exit()).toBe(1);
  expect(second.words()).toContain(house.dataDirectory);
  expect(second.words()).toContain(`Another process (${first.child.pid})`);
  expect(second.words()).not.toMatch(/^ +at /m); // words, not a stack
  expect((await fetch(`${first.url}/health/ready`)).status).toBe(200);
});

test("it takes the key and the password that the operator chose", async () => {
  await using house = openProgramHouse();
  const chosen = {
    BOOTSTRAP_API_KEY: KEY,
    ADMIN_EMAIL: "ops@house.example",
    ADMIN_PASSWORD: "chosen by the operator",
  };
  const program = await house.start(chosen);

  expect(program.words()).not.toContain("mv_live_");
  expect(program.words()).not.toContain(chosen.ADMIN_PASSWORD);
  const answer = await fetch(`${program.url}/api/v1/account`, { headers: { "x-api-key": KEY } });
  expect(await answer.json()).toMatchObject({ email: "ops@house.example", plan: "enterprise" });
});

test("SIGTERM lets requests under way finish, and takes no new ones", async () => {
  await using house = openProgramHouse();
  const program = await house.start({ BOOTSTRAP_API_KEY: KEY });
  const slow = fetch(`${program.url}/api/v1/validation/single?email=slow-3s@mailvet.test`, {
    headers: { "x-api-key": KEY },
  });
  await new Promise((resolve) => setTimeout(resolve, 500)); // timing: it has arrived by then
  program.child.kill("SIGTERM");

  const answer = await slow;
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ status: "valid" });
  expect(await program.exit()).toBe(0);
});

test.concurrent("SIGTERM does not wait for a mail server that says nothing: the list is answered, and nothing is left", async () => {
  await using lab = await openLab({ "mute.test": mailDomain({ temper: saysNothing({ at: "banner" }) }) });
  await using house = openProgramHouse();
  const program = await house.start({
    BOOTSTRAP_API_KEY: KEY,
    DNS_SERVERS: lab.nameServer,
    SMTP_PORT: String(lab.smtpPort),
    EGRESS_ALLOW: "127.0.0.0/8",
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
  expect(serverPid(house.dataDirectory)).toBeUndefined();
});

test("settings may stand in a file beside it, and the environment has the last word", async () => {
  await using house = openProgramHouse();
  writeFileSync(join(house.folder, ".env"), "LOG_LEVEL=loud\n");
  const program = await house.start();
  expect(program.words()).toContain("LOG_LEVEL=loud");
  const overruled = await house.start({ LOG_LEVEL: "error" });
  expect(overruled.words()).toContain("listens on");
});

test("every bad setting is named at once, no secret is shown, and nothing starts", async () => {
  await using house = openProgramHouse();
  const program = await house.start({
    PORT: "eighty",
    ADMIN_PASSWORD: "short",
    BOOTSTRAP_API_KEY: "too-short",
  });
  expect(await program.exit()).toBe(2);
  expect(program.words()).toContain("PORT=eighty: expected a whole number from 0 to 65535");
  expect(program.words()).toContain("ADMIN_PASSWORD=***");
  expect(program.words()).toContain("BOOTSTRAP_API_KEY=***");
});

test("a port that is taken is said in words, with the way out, and no database is left behind", async () => {
  await using house = openProgramHouse();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const program = await house.start({ PORT: String(port) });
  expect(await program.exit()).toBe(1);
  expect(program.words()).toContain("set PORT to a free port");
  expect(serverPid(house.dataDirectory)).toBeUndefined();
  other.close();
  // Nobody has seen the password and the key yet, so the next start is the first.
  expect((await house.start()).words()).toMatch(/password +\S+\n +API key +mv_live_/);
});

test("a database that cannot be reached is said in words", async () => {
  await using house = openProgramHouse();
  const program = await house.start({ DATABASE_URL: "postgres://mailvet:hidden@127.0.0.1:9/mailvet" });
  expect(await program.exit()).toBe(1);
  expect(program.words()).toContain(
    "Cannot connect to the database of DATABASE_URL: connect ECONNREFUSED 127.0.0.1:9",
  );
  expect(program.words()).not.toMatch(/hidden|^ +at /m);
});
