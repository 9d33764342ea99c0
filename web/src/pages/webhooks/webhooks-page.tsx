/** Webhook endpoints of the account. */

import type { WebhookEndpoint } from "@mailvet/contract";
import { Anchor, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { TableLoading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { messages } from "./messages.tsx";
import { nameOf } from "./webhook-name.ts";
import { webhooksQuery } from "./webhook-queries.ts";
import { WebhookStatus } from "./webhook-status.tsx";

const CreateWebhook = lazy(async () => ({ default: (await import("./create-webhook.tsx")).CreateWebhook }));

export function Page() {
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery);
  const [isCreating, setIsCreating] = useState(false);
  const add = <Button onClick={() => setIsCreating(true)}>{messages.add}</Button>;
  return (
    <>
      <PageHeader title={messages.title} actions={webhooks && webhooks.length > 0 ? add : undefined}>
        {messages.intro}
      </PageHeader>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!webhooks && !error && <TableLoading rows={3} />}
      {webhooks?.length === 0 && (
        <EmptyState title={messages.none} action={add}>
          {messages.noneText}
        </EmptyState>
      )}
      {webhooks && webhooks.length > 0 && (
        <DataTable label={messages.list} rows={webhooks} rowKey={({ id }) => id} columns={COLUMNS} />
      )}
      {isCreating && (
        <Suspense>
          <CreateWebhook onClose={() => setIsCreating(false)} />
        </Suspense>
      )}
    </>
  );
}

const { columns } = messages;

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  {
    name: columns.name,
    width: "24%",
    cell: (webhook) => (
      <Anchor
        inherit
        renderRoot={(props) => (
          <Link {...props} to="/webhooks/$webhookId" params={{ webhookId: webhook.id }} />
        )}
      >
        {nameOf(webhook)}
      </Anchor>
    ),
    sortBy: nameOf,
  },
  { name: columns.status, width: 110, cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  { name: columns.url, cell: ({ url }) => <span title={url}>{url}</span> },
  { name: columns.events, width: "20%", cell: ({ events }) => <Events events={events} />, isWide: true },
  {
    name: columns.added,
    width: 130,
    cell: ({ created_at }) => <Timestamp at={created_at} />,
    sortBy: ({ created_at }) => created_at,
    first: "desc",
  },
];

function Events({ events }: Pick<WebhookEndpoint, "events">) {
  const text = events.length === 0 ? messages.everyEvent : events.join(", ");
  return <span title={text}>{text}</span>;
}
