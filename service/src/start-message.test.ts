import { expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { startMessage } from "./start-message.ts";

const CHOSEN = {
  BOOTSTRAP_API_KEY: "the-operator-chose-this-key",
  ADMIN_PASSWORD: "an operator's password",
  METRICS_TOKEN: "a token for Prometheus",
  DATABASE_URL: "postgres://mailvet:database-password@db.internal/mailvet",
  MAIL_URL: "smtp://mailvet:relay-password@relay.internal",
  SOCKS_PROXY: "socks5://mailvet:proxy-password@proxy.internal:1080",
  AI_BASE_URL: "https://models.example.com/v1",
  AI_MODEL: "small",
  AI_API_KEY: "model-api-key",
};
const SECRETS = [
  CHOSEN.BOOTSTRAP_API_KEY,
  CHOSEN.ADMIN_PASSWORD,
  CHOSEN.METRICS_TOKEN,
  "database-password",
  "relay-password",
  "proxy-password",
  CHOSEN.AI_API_KEY,
];
const CONFIG = readConfig(CHOSEN, ".");
const first = { email: "admin@localhost", password: undefined, apiKeyText: undefined };

test.each([
  ["the first start", first],
  ["a later start", undefined],
])("no secret of the settings is shown at %s", (_when, result) => {
  const text = startMessage(CONFIG, "http://127.0.0.1:8080", result);
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  expect(text).toContain("X-API-Key: YOUR_API_KEY");
});

test("what the first start generates is shown once", () => {
  const generated = { ...first, password: "generated-password", apiKeyText: "mv_live_generated" };
  const text = startMessage(CONFIG, "http://127.0.0.1:8080", generated);
  expect(text).toContain("password      generated-password");
  expect(text).toContain("X-API-Key: mv_live_generated");
});
