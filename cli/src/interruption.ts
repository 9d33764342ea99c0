/** SIGINT and SIGTERM: the first one aborts the work cleanly, a second one exits at once. */
import { constants } from "node:os";

/** Thrown when the user interrupts. The message says what happened to the work so far. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("interrupted");
    this.exitCode = exitCode;
  }
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export function listenForInterruption(): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const leave = (name: (typeof SIGNALS)[number]) => {
    const exitCode = 128 + constants.signals[name];
    if (controller.signal.aborted) process.exit(exitCode);
    controller.abort(new Interrupted(exitCode));
  };
  for (const name of SIGNALS) process.on(name, leave);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of SIGNALS) process.off(name, leave);
    },
  };
}

/** Sets the message of an interruption of this work. */
export async function withInterruptMessage<T>(message: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Interrupted) error.message = message;
    throw error;
  }
}

/** Rejects when the signal aborts. The work itself keeps running; its outcome is then ignored. */
export async function unlessInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  signal.throwIfAborted();
  let leave = () => {};
  const interrupted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
