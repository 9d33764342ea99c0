/** What needs the owner: credits, jobs that wait or failed, webhooks that fail, keys that expire. */

import type { ApiKey, Job, WebhookEndpoint } from "@mailvet/contract";
import { Anchor, Paper, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { accountQuery } from "../../queries.ts";
import { keysQuery, stateOf } from "../keys/key-queries.ts";
import { nameOf } from "../webhooks/webhook-name.ts";
import { webhooksQuery } from "../webhooks/webhook-queries.ts";
import { messages } from "./messages.tsx";
import classes from "./overview.module.css";
import { recentJobsQuery } from "./overview-queries.ts";

const texts = messages.attention;
const FEW_CREDITS = 100;
const SOON_MS = 14 * 86_400_000;

export type AttentionItem = {
  id: string;
  text: string;
  link: string;
  to: string;
  isUrgent: boolean;
};

/** Undefined while loading: what is below should not move when an item is found. */
export function useAttention(): AttentionItem[] | undefined {
  const account = useQuery(accountQuery);
  const jobs = useQuery(recentJobsQuery);
  const webhooks = useQuery(webhooksQuery);
  const keys = useQuery(keysQuery);
  if ([account, jobs, webhooks, keys].some(({ isPending }) => isPending)) return undefined;
  return [
    ...(account.data ? creditItems(account.data.credits.balance) : []),
    ...(jobs.data?.items ?? []).flatMap(jobItems),
    ...(webhooks.data ?? []).flatMap(webhookItems),
    ...(keys.data ?? []).flatMap((key) => keyItems(key, Date.now())),
  ];
}

export function Attention({ items }: { items: readonly AttentionItem[] }) {
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="attention">
      <Title order={2} size="h4" id="attention" mb="sm">
        {texts.title}
      </Title>
      <Paper withBorder component="ul" className={`plain-list ruled ${classes.attention}`}>
        {items.map(({ id, text, link, to, isUrgent }) => (
          <li key={id} data-severity={isUrgent ? "high" : "low"}>
            <span className="breaks">{text}</span>
            <Anchor inherit renderRoot={(props) => <Link {...props} to={to} />}>
              {link}
            </Anchor>
          </li>
        ))}
      </Paper>
    </section>
  );
}

function creditItems(balance: number): AttentionItem[] {
  if (balance >= FEW_CREDITS) return [];
  const text = balance === 0 ? texts.noCredits : texts.fewCredits(balance);
  return [{ id: "credits", text, link: texts.viewCredits, to: "/usage", isUrgent: balance === 0 }];
}

function jobItems({ id, filename, status }: Job): AttentionItem[] {
  if (status !== "paused" && status !== "failed") return [];
  const isUrgent = status === "failed";
  const text = isUrgent ? texts.failedJob(filename) : texts.pausedJob(filename);
  return [{ id, text, link: texts.viewJob, to: `/bulk/${id}`, isUrgent }];
}

function webhookItems(webhook: WebhookEndpoint): AttentionItem[] {
  const { id, is_enabled, disabled_reason, failing_since } = webhook;
  if (!disabled_reason && !(is_enabled && failing_since)) return [];
  const isUrgent = Boolean(disabled_reason);
  const text = isUrgent ? texts.disabledWebhook(nameOf(webhook)) : texts.failingWebhook(nameOf(webhook));
  return [{ id, text, link: texts.viewWebhook, to: `/webhooks/${id}`, isUrgent }];
}

function keyItems(key: ApiKey, nowMs: number): AttentionItem[] {
  const expiresMs = key.expires_at ? Date.parse(key.expires_at) : Number.POSITIVE_INFINITY;
  if (stateOf(key, nowMs) !== "usable" || expiresMs > nowMs + SOON_MS) return [];
  const days = Math.ceil((expiresMs - nowMs) / 86_400_000);
  return [
    {
      id: key.id,
      text: texts.expiringKey(key.name, days),
      link: texts.viewKeys,
      to: "/keys",
      isUrgent: false,
    },
  ];
}
