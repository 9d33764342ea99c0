/** Work that gathers and is done a little later, one run at a time, and never in anyone's way. */
export type Debounced = {
  /** There is something to do. */
  soon(): void;
  /** Does what is still to be done. */
  close(): Promise<void>;
};

/** `work` does all there is to do and never rejects; `isLeft` says whether something has come meanwhile. */
export function later(afterMs: number, work: () => Promise<void>, isLeft: () => boolean): Debounced {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const begin = () => {
    timer = undefined;
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    soon() {
      timer ??= setTimeout(begin, afterMs).unref();
    },
    async close() {
      clearTimeout(timer);
      do await begin();
      while (isLeft());
    },
  };
}
