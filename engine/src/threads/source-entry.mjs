// Entry of an engine thread that is started by the sources: `node --import tsx` does not reach worker threads on Node 20.
// Tests use the bundle, which their run has built (vitest.config.ts): it starts in a fifth of the CPU time.
if (process.env.ENGINE_THREAD_CODE === "built") {
  await import("../../dist/bundled/thread-main.js");
} else {
  // biome-ignore lint/correctness/noUndeclaredDependencies: a dependency of the repository's development tools
  const { register } = await import("tsx/esm/api");
  register();
  await import("./thread-main.ts");
}
