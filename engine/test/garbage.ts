import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Runs the work while garbage is collected again and again: a time limit must not depend on an object that nothing holds. */
export async function whileCollecting<T>(work: Promise<T>): Promise<T> {
  setFlagsFromString("--expose-gc");
  const timer = setInterval(runInNewContext("gc"), 20);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
