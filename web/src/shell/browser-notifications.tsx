/**
 * Notifications of the browser while the app is in the background: a job has ended, a scheduled run of a list has changed
 * something or did not start. Loaded where the user has allowed them.
 */
import type { Job, SavedList } from "@mailvet/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { shellMessages } from "../messages.ts";
import { hasEnded, jobsQuery } from "../pages/bulk/job-queries.ts";
import { listsQuery } from "../pages/lists/list-queries.ts";

type News = { id: string; title: string; body: string };

const REFRESH = { refetchInterval: 15_000, refetchIntervalInBackground: true };

export function BrowserNotifications() {
  const jobs = useQuery({ ...jobsQuery(1, undefined), ...REFRESH });
  const lists = useQuery({ ...listsQuery, ...REFRESH });
  useNews(jobs.data?.items, newsOfJob);
  useNews(lists.data, newsOfList);
  return null;
}

function useNews<T extends { id: string }>(
  items: readonly T[] | undefined,
  newsOf: (before: T, now: T) => News | undefined,
): void {
  const before = useRef(new Map<string, T>());
  useEffect(() => {
    if (!items) return;
    for (const now of items) {
      const earlier = before.current.get(now.id);
      const news = earlier && newsOf(earlier, now);
      if (news && document.visibilityState !== "visible")
        new Notification(news.title, { body: news.body, tag: news.id });
    }
    before.current = new Map(items.map((one) => [one.id, one]));
  }, [items, newsOf]);
}

const messages = shellMessages.notifications;

function newsOfJob(before: Job, now: Job): News | undefined {
  if (hasEnded(before) || !hasEnded(now)) return undefined;
  const title = messages.jobEnded(now.filename, now.status);
  return { id: now.id, title, body: messages.valid(now.valid_count, now.unique_emails) };
}

function newsOfList(before: SavedList, now: SavedList): News | undefined {
  const { id, name, last_error, newly_invalid, recovered } = now;
  const isOtherRun = now.last_run_at !== before.last_run_at;
  if (last_error !== null && (isOtherRun || before.last_error === null))
    return { id, title: messages.notRun(name), body: last_error };
  // The start of a run leaves the counts of the run before.
  const isSame = newly_invalid === before.newly_invalid && recovered === before.recovered;
  if (isSame || newly_invalid + recovered === 0) return undefined;
  return { id, title: messages.changed(name), body: messages.changes(newly_invalid, recovered) };
}
