/** Settles as `work` does, or with `late` when that takes too long; `work` itself goes on. */
export function withTimeLimit<T>(limitMs: number, work: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, limitMs, late);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
