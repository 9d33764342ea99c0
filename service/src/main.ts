/** Starts the service, says where it listens, and stops it cleanly on SIGTERM or Ctrl-C. */
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { BadSettings } from "@mailvet/engine";
import { assemble, type Service } from "./assemble.ts";
import { type Config, readConfig } from "./config.ts";
import { EmbeddedPostgresTrouble } from "./db/embedded/embedded-postgres.ts";
import { LISTEN_BACKLOG } from "./http/http-settings.ts";
import { createLog, type Log } from "./log.ts";
import { DatabaseUnreachable } from "./storage.ts";
import { welcomeText, workerText } from "./welcome.ts";

/** Why listening failed, in words, by the system's code for it. */
const LISTEN_TROUBLE: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there: set PORT to a free port",
  EACCES: "ports below 1024 are for privileged users: set PORT to a higher one",
  EADDRNOTAVAIL: "this machine does not have that address: set HOST to one of its own",
};

/** Whoever stops us (a container, a supervisor) waits half a minute at the most: for both of these. */
const STOP_WITHIN_MS = 20_000;
const STOP_DATABASE_WITHIN_MS = 5000;

const say = (text: string) => console.log(text);
let stopping: Promise<void> | undefined;

try {
  if (existsSync(".env")) process.loadEnvFile(".env"); // what is set already has the last word
  await start(readConfig(process.env, process.cwd()));
} catch (error) {
  console.error(`mailvet: ${explain(error)}`);
  process.exitCode = error instanceof BadSettings ? 2 : 1;
}

async function start(config: Config): Promise<void> {
  const log = createLog(config.log);
  const interrupted = new Promise<"interrupted">((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve("interrupted"));
  });
  const service = await assemble(config, log, say);
  void interrupted.then(() => stop(service, log));
  try {
    const address = config.listens
      ? await service.app.listen({ host: config.host, port: config.port, backlog: LISTEN_BACKLOG })
      : undefined;
    if (config.role === "worker") say(workerText(config, address));
    else say(welcomeText(config, address!, await service.welcome(), process.stdout.isTTY));
  } catch (error) {
    await service.close();
    throw error;
  }
  void service.databaseLost.then(() => {
    if (stopping) return;
    console.error("mailvet: the database has gone; its log is in the data directory. Stopping.");
    process.exitCode = 1;
    return stop(service, log);
  });
}

function stop(service: Service, log: Log): Promise<void> {
  stopping ??= (async () => {
    const tooLong = setTimeout(() => void leave(service, log), STOP_WITHIN_MS);
    tooLong.unref();
    await service.close().catch((error) => {
      log.write.error({ err: error }, "stopping failed");
      process.exitCode = 1;
    });
    clearTimeout(tooLong);
    log.flush();
    say("mailvet has stopped");
  })();
  return stopping;
}

/** The short way out, for when closing hangs. */
async function leave(service: Service, log: Log): Promise<never> {
  console.error("mailvet: some requests were still under way; leaving them");
  await Promise.race([service.stopDatabase().catch(() => {}), delay(STOP_DATABASE_WITHIN_MS)]);
  log.flush();
  process.exit(1);
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const trouble = LISTEN_TROUBLE["code" in error ? String(error.code) : ""];
  if (trouble) return `${error.message}; ${trouble}`;
  const isInWords = [BadSettings, EmbeddedPostgresTrouble, DatabaseUnreachable].some(
    (kind) => error instanceof kind,
  );
  return isInWords ? error.message : (error.stack ?? error.message);
}
