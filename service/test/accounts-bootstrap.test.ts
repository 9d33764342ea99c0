import { expect, test } from "vitest";
import { type BootstrapSettings, bootstrap } from "../src/accounts/bootstrap.ts";
import { createPubSub } from "../src/db/pubsub.ts";
import { createApiKeys } from "../src/keys/api-keys.ts";
import { type AccountsWorld, refusalOf, visitorFrom, worldsOnOneDatabase } from "./accounts-world.ts";

const openAccountsWorld = worldsOnOneDatabase();

const HERE = visitorFrom(1);
const SETTINGS: BootstrapSettings = {
  email: "admin@localhost",
  password: undefined,
  credits: 1_000_000,
  apiKey: undefined,
};

function openStart(world: AccountsWorld) {
  const { database, ledger } = world;
  const notices = createPubSub(database.connection, { log: () => {} });
  const keyring = createApiKeys({ database, notices });
  return {
    keyring,
    start: (settings: Partial<BootstrapSettings> = {}) =>
      bootstrap({ database, ledger, keyring }, { ...SETTINGS, ...settings }),
    async [Symbol.asyncDispose]() {
      await keyring.close();
      await notices.close();
    },
  };
}

test("concurrent first starts create one operator", async () => {
  await using world = openAccountsWorld();
  await using first = openStart(world);

  const welcomes = await Promise.all([first.start(), first.start(), first.start()]);
  const [welcome, ...more] = welcomes.filter((one) => one !== undefined);
  expect(more).toEqual([]);
  expect(welcome).toMatchObject({ email: "admin@localhost" });

  const { accountId } = await world.accounts.signIn("admin@localhost", welcome!.password!, HERE);
  expect(await world.accounts.find(accountId)).toMatchObject({
    isOperator: true,
    plan: "enterprise",
    balance: 1_000_000,
  });
  expect(await first.keyring.recognise(welcome!.apiKeyText!)).toMatchObject({ accountId, isOperator: true });
});

test.each(["password1234", "aaaaaaaaaaaa", "ops@team.example"])(
  "the chosen password %s is refused as for other accounts, and a later start can be the first",
  async (password) => {
    await using world = openAccountsWorld();
    await using first = openStart(world);
    const chosen = { email: "ops@team.example", password };
    await expect(first.start(chosen)).rejects.toThrow(/ADMIN_PASSWORD=\*\*\*: .* Choose another\./);
    await expect(first.start(chosen)).rejects.not.toThrow(password);
    expect(await first.start({ ...chosen, password: "the chosen password" })).toBeDefined();
  },
);

test("settings of a later start change neither the operator nor the password", async () => {
  await using world = openAccountsWorld();
  await using first = openStart(world);

  const chosen = { email: "Root@Example.com", password: "the chosen password" };
  expect(await first.start(chosen)).toMatchObject({ email: "root@example.com", password: undefined });
  expect(await first.start({ email: "other@example.com", password: "another password" })).toBeUndefined();

  expect(await world.accounts.list({ skip: 0, limit: 10, sort: "created", order: "desc" })).toMatchObject({
    total: 1,
  });
  expect(await world.accounts.signIn("root@example.com", "the chosen password", HERE)).toBeDefined();
  const refusal = await refusalOf(world.accounts.signIn("root@example.com", "another password", HERE));
  expect(refusal.code).toBe("wrong_credentials");
});

test("a key from the settings is adopted for the operator at any start", async () => {
  await using world = openAccountsWorld();
  await using first = openStart(world);
  await first.start();

  const apiKey = "a-key-of-the-operators-own";
  expect(await first.start({ apiKey })).toBeUndefined();
  expect(await first.start({ apiKey })).toBeUndefined();
  expect(await first.keyring.recognise(apiKey)).toMatchObject({ isOperator: true, mode: "live" });
});

test("a first start with a key in the settings generates none", async () => {
  await using world = openAccountsWorld();
  await using first = openStart(world);

  const apiKey = "a-key-of-the-operators-own";
  expect(await first.start({ apiKey })).toMatchObject({ apiKeyText: undefined });
  const known = await first.keyring.recognise(apiKey);
  expect(await first.keyring.list(known!.accountId)).toHaveLength(1);
});

test("after a first start that fails on its key, the next start is the first", async () => {
  await using world = openAccountsWorld();
  await using first = openStart(world);

  await expect(first.start({ apiKey: "too short" })).rejects.toThrow("API key");
  const welcome = await first.start();
  expect(await world.accounts.signIn("admin@localhost", welcome!.password!, HERE)).toBeDefined();
});
