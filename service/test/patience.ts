/** For vi.waitFor and vi.waitUntil, which know no limit of the whole run: under that of a test (vitest.config.ts). */
export const PATIENCE = { timeout: 150_000, interval: 20 };
