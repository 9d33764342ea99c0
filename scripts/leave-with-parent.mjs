/**
 * Ends a program when its parent process has ended, also by kill -9. The program gets SIGTERM once and shuts down
 * cleanly. preload-leave-with-parent.mjs is for `node --import`.
 */
export function leaveWithParent(parent = process.ppid) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 250).unref();
}
