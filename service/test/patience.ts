/** For vi.waitFor and vi.waitUntil, which have no global limit: below that of a test (vitest.config.ts). */
export const PATIENCE = { timeout: 540_000, interval: 20 };
