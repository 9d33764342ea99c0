/** A paused job, over HTTP. */
import { expect, vi } from "vitest";
import { PATIENCE } from "./patience.ts";
import type { Asked, TestService } from "./service.ts";

/**
 * Pauses a job of one `slow-3s` address while that waits for its retry, so that nothing more happens to it; returns its id.
 * One that ended before is erased, and followed by another.
 */
export async function pausedJob(
  { ask }: Pick<TestService, "ask">,
  caller: Asked,
  start: () => Promise<string>,
): Promise<string> {
  for (;;) {
    const path = `/bulk/jobs/${await start()}`;
    await vi.waitFor(
      async () => expect(["retrying", "done"]).toContain((await ask(path, caller)).body.phase),
      PATIENCE,
    );
    const { status, body } = await ask(`${path}/pause`, { ...caller, method: "POST" });
    if (status === 200) return body.id;
    expect(body.code).toBe("job_state_conflict");
    await ask(path, { ...caller, method: "DELETE" });
  }
}
