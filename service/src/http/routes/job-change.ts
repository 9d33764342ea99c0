/** Waits for a job to change, for a while: until then, until the client leaves, or until the server stops. */
import type { ServerResponse } from "node:http";
import type { Job } from "@mailvet/contract";
import type { FastifyInstance } from "fastify";
import type { JobWatch } from "../../jobs/job-watch.ts";

export type WaitForChange = (job: Job, patienceMs: number, answer: ServerResponse) => Promise<void>;

export function waitForChange(app: FastifyInstance, watch: JobWatch): WaitForChange {
  const waiting = new Set<() => void>();
  let isStopping = false;
  app.addHook("preClose", async () => {
    isStopping = true;
    for (const goOn of waiting) goOn();
  });
  return (job, patienceMs, answer) =>
    new Promise((resolve) => {
      if (isStopping) return resolve();
      const goOn = () => {
        clearTimeout(patience);
        unfollow();
        waiting.delete(goOn);
        answer.off("close", goOn);
        resolve();
      };
      const patience = setTimeout(goOn, patienceMs);
      const unfollow = watch.follow(job, goOn);
      waiting.add(goOn);
      answer.once("close", goOn);
    });
}
