/** Starts the service, waits for the signal to stop, stops it. Resolves with the exit code. */
import { abortable } from "@mailvet/embedded-postgres";
import { BadSettings } from "@mailvet/engine";
import { type AssembledService, assemble } from "./assembly.ts";
import { createLog, type Log } from "./base/log.ts";
import { type Config, readConfig } from "./config.ts";
import { loadEnvFile } from "./env-file.ts";
import { assertPortFree } from "./free-port.ts";
import { LISTEN_BACKLOG } from "./http/http-settings.ts";
import { startErrorMessage } from "./start-error.ts";
import { startMessage, terminalText, workerStartMessage } from "./start-message.ts";

const print = (text: string) => console.log(text);

export async function run(interrupted: AbortSignal): Promise<number> {
  try {
    loadEnvFile(".env", process.env);
    const config = readConfig(process.env, process.cwd());
    return await runWith(config, createLog(config.log), interrupted);
  } catch (error) {
    console.error(`mailvet: ${startErrorMessage(error)}`);
    return error instanceof BadSettings ? 2 : 1;
  }
}

async function runWith(config: Config, log: Log, interrupted: AbortSignal): Promise<number> {
  let service: AssembledService | undefined;
  let exitCode = 0;
  try {
    if (config.listens) await assertPortFree(config);
    service = await assemble(config, log, (message) => print(terminalText(message)), interrupted);
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
  print("mailvet has stopped");
  return exitCode;
}

/** Listens before the bootstrap: the password is shown once and must not be lost to a port that is in use. */
async function start(service: AssembledService, config: Config, interrupted: AbortSignal): Promise<void> {
  const address = config.listens
    ? await service.app.listen({ host: config.host, port: config.port, backlog: LISTEN_BACKLOG })
    : undefined;
  interrupted.throwIfAborted();
  void service.warmUp();
  const first = await service.welcome(); // not interrupted: its result has to be shown
  if (config.role === "worker") print(workerStartMessage(config, address));
  else print(startMessage(config, address!, first));
}
