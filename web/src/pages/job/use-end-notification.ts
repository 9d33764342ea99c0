/** Shows a notification of the browser when a job ends while its page is in the background, if the user has allowed them. */
import type { Job } from "@mailvet/contract";
import { useEffect, useRef } from "react";
import { hasEnded } from "../bulk/job-queries.ts";
import { messages } from "./messages.tsx";

export function useEndNotification(job: Job): void {
  const wasRunning = useRef(!hasEnded(job));
  useEffect(() => {
    const isOver = hasEnded(job);
    const isNews = wasRunning.current && isOver;
    wasRunning.current = !isOver;
    if (!isNews || document.visibilityState === "visible") return;
    if (typeof Notification === "undefined" || Notification.permission !== "granted") return;
    new Notification(messages.notification.title(job.filename, job.status), {
      body: messages.notification.body(job.valid_count, job.unique_emails),
      tag: job.id,
    });
  }, [job]);
}
