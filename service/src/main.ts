/** Starts the service, says where it listens, and stops it cleanly on SIGTERM or Ctrl-C. */
import { existsSync } from "node:fs";
import { BadSettings } from "@mailvet/engine";
import { readConfig } from "./config.ts";
import { buildApp } from "./http/app.ts";

/** Why listening failed, in words, by the system's code for it. */
const LISTEN_TROUBLE: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there: set PORT to a free port",
  EACCES: "ports below 1024 are for privileged users: set PORT to a higher one",
  EADDRNOTAVAIL: "this machine does not have that address: set HOST to one of its own",
};

try {
  if (existsSync(".env")) process.loadEnvFile(".env"); // what is set already has the last word
  const config = readConfig(process.env);
  const app = buildApp();
  const address = await app.listen({ host: config.host, port: config.port });
  console.log(`mailvet listens on ${address}   (is it there? curl ${address}/health/live)`);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, async () => {
      await app.close();
      console.log("mailvet has stopped");
    });
  }
} catch (error) {
  console.error(`mailvet: ${explain(error)}`);
  process.exitCode = error instanceof BadSettings ? 2 : 1;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const trouble = LISTEN_TROUBLE["code" in error ? String(error.code) : ""];
  if (trouble) return `${error.message}; ${trouble}`;
  return error instanceof BadSettings ? error.message : (error.stack ?? error.message);
}
