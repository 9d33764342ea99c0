/** One life of the service: start, wait for the signal to stop, stop. Resolves with the exit code. */
import { existsSync } from "node:fs";
import { BadSettings } from "@mailvet/engine";
import { abortable } from "./abortable.ts";
import { type AssembledService, assemble } from "./assemble.ts";
import { type Config, readConfig } from "./config.ts";
import { EmbeddedPostgresError } from "./db/embedded/embedded-postgres.ts";
import { NewerSchema } from "./db/migrate.ts";
import { LISTEN_BACKLOG } from "./http/http-settings.ts";
import { createLog, type Log } from "./log.ts";
import { startMessage, workerStartMessage } from "./start-message.ts";
import { DatabaseUnreachable } from "./storage.ts";

/** Why listening failed, in words, by the system's code for it. */
const LISTEN_TROUBLE: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there: set PORT to a free port",
  EACCES: "ports below 1024 are for privileged users: set PORT to a higher one",
  EADDRNOTAVAIL: "this machine does not have that address: set HOST to one of its own",
};

const say = (text: string) => console.log(text);

export async function run(interrupted: AbortSignal): Promise<number> {
  try {
    if (existsSync(".env")) process.loadEnvFile(".env"); // what is set already has the last word
    const config = readConfig(process.env, process.cwd());
    return await runWith(config, createLog(config.log), interrupted);
  } catch (error) {
    console.error(`mailvet: ${explain(error)}`);
    return error instanceof BadSettings ? 2 : 1;
  }
}

async function runWith(config: Config, log: Log, interrupted: AbortSignal): Promise<number> {
  let service: AssembledService | undefined;
  let exitCode = 0;
  try {
    service = await assemble(config, log, say, interrupted);
    await start(service, config, interrupted);
    await abortable(new Promise<never>(() => {}), interrupted);
  } catch (error) {
    if (error !== interrupted.reason) throw error;
  } finally {
    await service?.close().catch((error) => {
      log.event("stop_failed", { err: error });
      exitCode = 1;
    });
    log.flush();
  }
  say("mailvet has stopped");
  return exitCode;
}

/** The port comes before the first start: the password that is shown once must not be lost to a port that is taken. */
async function start(service: AssembledService, config: Config, interrupted: AbortSignal): Promise<void> {
  const address = config.listens
    ? await service.app.listen({ host: config.host, port: config.port, backlog: LISTEN_BACKLOG })
    : undefined;
  interrupted.throwIfAborted();
  const first = await service.welcome(); // not interrupted: what it makes has to be shown
  if (config.role === "worker") say(workerStartMessage(config, address));
  else say(startMessage(config, address!, first, process.stdout.isTTY));
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const trouble = LISTEN_TROUBLE["code" in error ? String(error.code) : ""];
  if (trouble) return `${error.message}; ${trouble}`;
  const isInWords = [BadSettings, EmbeddedPostgresError, DatabaseUnreachable, NewerSchema].some(
    (kind) => error instanceof kind,
  );
  return isInWords ? error.message : (error.stack ?? error.message);
}
