/** Starts the built service on an empty data directory of its own and on a free port, for scripts that use it over HTTP. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./build.mjs";

export const KEY = "the-key-of-a-script-that-runs-the-service";

/** Calls `use` with the URL of the service, and stops it afterwards. */
export async function withService(use) {
  const data = mkdtempSync(join(tmpdir(), "mailvet-service-"));
  chmodSync(data, 0o755); // as root, PostgreSQL runs as another user, who needs access
  const settings = {
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: data,
    BOOTSTRAP_API_KEY: KEY,
    LOG_LEVEL: "error",
  };
  const main = join(ROOT, "service/dist/main.js");
  const service = spawn(process.execPath, [main], {
    env: { ...process.env, DATABASE_URL: "", ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    return await use(await addressOf(service));
  } finally {
    if (service.exitCode === null) {
      service.kill("SIGTERM");
      await once(service, "exit");
    }
    rmSync(data, { recursive: true, force: true });
  }
}

export async function documentAt(url) {
  const answer = await fetch(`${url}/api/v1/openapi.json`);
  if (!answer.ok) throw new Error(`no OpenAPI document at ${url}: ${answer.status}`);
  return answer.json();
}

function addressOf(service) {
  return new Promise((resolve, reject) => {
    let said = "";
    service.stdout.setEncoding("utf8").on("data", (chunk) => {
      said += chunk;
      const address = /listens on (http:\/\/\S+)/.exec(said)?.[1];
      if (address) resolve(address);
    });
    service.once("exit", () => reject(new Error(`the service did not start: ${said}`)));
  });
}
