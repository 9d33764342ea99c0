/** Starts the service, says where it listens, and stops it cleanly on SIGTERM or Ctrl-C. */
import { BadSettings } from "@mailvet/engine";
import { readConfig } from "./config.ts";
import { buildApp } from "./http/app.ts";

try {
  const config = readConfig(process.env);
  const app = buildApp();
  const address = await app.listen({ host: config.host, port: config.port });
  console.log(`mailvet listens on ${address}   (is it there? curl ${address}/health/live)`);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => app.close());
} catch (error) {
  console.error(`mailvet: ${explain(error)}`);
  process.exitCode = error instanceof BadSettings ? 2 : 1;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "EADDRINUSE") {
    return `${error.message}; another program listens there: set PORT to a free port`;
  }
  return error instanceof BadSettings ? error.message : (error.stack ?? error.message);
}
