/** A TypeScript client generated from the OpenAPI document: compiled strictly, and used against the running service. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openService, type TestService } from "./service.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TSC = createRequire(join(ROOT, "package.json"))
  .resolve("typescript/package.json")
  .replace("package.json", "bin/tsc");

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await openService();
  folder = await mkdtemp(join(ROOT, "node_modules", ".generated-client-")); // where openapi-fetch is found
  const { text } = await service.ask("/openapi.json");
  await writeFile(join(folder, "api.d.ts"), astToString(await openapiTS(JSON.parse(text) as OpenAPI3)));
  const compilerOptions = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom", "dom.iterable"],
    types: ["node"],
    strict: true,
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service[Symbol.asyncDispose]();
});

const programWith = (field: string) => `
  import createClient from "openapi-fetch";
  import type { paths, webhooks } from "./api.js";

  const { SERVICE, KEY } = process.env;
  const clientWith = (key = KEY) =>
    createClient<paths>({ baseUrl: SERVICE + "/api/v1", headers: { Authorization: "Bearer " + key } });

  const body = { email: "mailbox-not-found@mailvet.test" };
  const { data, error } = await clientWith().POST("/validation/single", { body });
  if (error) throw new Error(error.code);
  const refused = await clientWith("unknown-key").POST("/validation/single", { body });
  console.log(data.status, data.${field}, refused.response.status, refused.error?.code);

  type Message = webhooks["job.completed"]["post"]["requestBody"]["content"]["application/json"];
  export const processedOf = ({ data }: Message): number => data.job.processed;
`;

/** What the compiler printed, if anything. */
async function compile(program: string): Promise<string> {
  await writeFile(join(folder, "program.ts"), program);
  const compiled = run(process.execPath, [TSC, "-p", folder]);
  return compiled.then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test("it compiles and validates an address", async () => {
  expect(await compile(programWith("sub_status"))).toBe("");
  const env = { ...process.env, SERVICE: service.url, KEY: (await service.openAccount()).key };
  const { stdout } = await run(process.execPath, [join(folder, "program.js")], { env });
  expect(stdout).toBe("invalid mailbox_not_found 401 invalid_api_key\n");
});

test("a field that does not exist is refused by the compiler", async () => {
  expect(await compile(programWith("sub_statuss"))).toContain("sub_statuss");
});
