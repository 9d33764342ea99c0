/**
 * Entry point: starts the service, runs it until a signal, stops it.
 *
 * The first SIGTERM or SIGINT aborts one AbortSignal, which ends whatever the start is waiting for (run.ts). A later one
 * ends the process at once. The handlers are installed before anything else is loaded, because loading takes a while.
 */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Container runtimes kill after ten seconds; leaving by ourselves before that takes the embedded database along. */
const DEFAULT_STOP_TIMEOUT_SECONDS = 9;

/** One Ctrl-C can arrive twice: from the terminal, and forwarded by npm or by the shell's death (scripts/ready.mjs). */
const SAME_SIGNAL_WITHIN_MS = 1_000;

const interrupt = new AbortController();
let interruptedAt = 0;
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    if (!interrupt.signal.aborted) {
      interruptedAt = performance.now();
      // Read now: the file .env may have been loaded since the start. What is no number is refused by config.ts.
      const { STOP_TIMEOUT_SECONDS, MAILVET_STOP_TIMEOUT_SECONDS } = process.env;
      const seconds =
        Number(STOP_TIMEOUT_SECONDS || MAILVET_STOP_TIMEOUT_SECONDS) || DEFAULT_STOP_TIMEOUT_SECONDS;
      setTimeout(giveUp, seconds * 1000, seconds).unref();
      interrupt.abort();
    } else if (performance.now() - interruptedAt > SAME_SIGNAL_WITHIN_MS) {
      process.exit(EXIT_CODES[name]);
    }
  });
}

/** The embedded server is ended by its exit handler (embedded-postgres/src/server-process.ts). */
function giveUp(seconds: number): never {
  console.error(`mailvet: not everything was closed within ${seconds} s; leaving it`);
  process.exit(1);
}

// Standard output on a full disk, or into a pipe without a reader, is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const { run } = await import("./run.ts");
process.exit(await run(interrupt.signal));
