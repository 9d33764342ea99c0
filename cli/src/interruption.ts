/** Ctrl-C, and a polite request to end: once, and we leave in good order; again, and we leave at once. */
import { constants } from "node:os";

/** Whoever started us wants no more. The message says what has become of the work. */
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

/** Whoever interrupts this work is told so. */
export async function whenInterrupted<T>(message: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Interrupted) error.message = message;
    throw error;
  }
}

/** The same work, given up when the signal comes; what it does after that is nobody's business any more. */
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
