/**
 * Ends a program when the process that started it has gone, also by kill -9. The program gets SIGTERM once, and takes its
 * time to end in good order. preload-leave-with-parent.mjs is for `node --import`.
 */
export function leaveWithParent(parent = process.ppid) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 250).unref();
}
