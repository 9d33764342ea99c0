import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadEnvFile } from "./env-file.ts";

const folder = mkdtempSync(join(tmpdir(), "mailvet-env-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.for([
  [{}, { PORT: "8080", DATABASE_URL: "postgres://db/mailvet" }],
  [{ PORT: "80" }, { PORT: "80", DATABASE_URL: "postgres://db/mailvet" }],
  [{ MAILVET_PORT: "80" }, { MAILVET_PORT: "80", DATABASE_URL: "postgres://db/mailvet" }],
  [{ DATABASE_URL_FILE: "/url" }, { DATABASE_URL_FILE: "/url", PORT: "8080" }],
  [{ MAILVET_DATABASE_URL_FILE: "/url" }, { MAILVET_DATABASE_URL_FILE: "/url", PORT: "8080" }],
  [
    { MAILVET_PORT: "tcp://10.0.0.1:8080" },
    { MAILVET_PORT: "tcp://10.0.0.1:8080", PORT: "8080", DATABASE_URL: "postgres://db/mailvet" },
  ],
] as const)("with %j in the environment, the file adds what is not set", ([given, expected]) => {
  const file = join(folder, ".env");
  writeFileSync(file, "PORT=8080\nDATABASE_URL=postgres://db/mailvet\n");
  const env = { ...given };
  loadEnvFile(file, env);
  expect(env).toEqual(expected);
});

test("a missing file is not an error", () => {
  const env = {};
  loadEnvFile(join(folder, "missing"), env);
  expect(env).toEqual({});
});
