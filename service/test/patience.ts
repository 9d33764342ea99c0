/** Limits that a busy machine does not reach. */
import { HTTP_DEFAULTS, type HttpSettings } from "../src/http/http-settings.ts";

/** For vi.waitFor and vi.waitUntil, which have no global limit: below that of a test (vitest.config.ts). */
export const PATIENCE = { timeout: 540_000, interval: 20 };

/** HTTP settings of a test that builds the app by itself: a starved test is slow, not overloaded. */
export const PATIENT_HTTP: HttpSettings = {
  ...HTTP_DEFAULTS,
  maxQueueDelayMs: 600_000,
  maxEventLoopDelayMs: 600_000,
};
