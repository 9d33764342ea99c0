/** Deliveries to an endpoint, filtered by state. */

import "@mantine/core/styles/FloatingIndicator.layer.css";
import "@mantine/core/styles/SegmentedControl.layer.css";
import "@mantine/core/styles/Accordion.layer.css";
import { Accordion, Badge, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { Pager, parsePage } from "../../components/pager.tsx";
import { Section } from "../../components/section.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { DeliveryDetails } from "./delivery-details.tsx";
import { messages } from "./messages.tsx";
import { DELIVERIES_PER_PAGE, type DeliveryState, deliveriesQuery } from "./webhook-queries.ts";

const COLORS: Readonly<Record<DeliveryState, string>> = {
  pending: "brand",
  delivered: "gray",
  failed: "red",
};

const FILTERS = [
  { value: "", label: messages.deliveries.all },
  ...Object.entries(messages.deliveries.states).map(([value, label]) => ({ value, label })),
];

export function DeliveryList({ webhookId, isEnabled }: { webhookId: string; isEnabled: boolean }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const page = parsePage(search.page);
  const state = search.state && search.state in COLORS ? (search.state as DeliveryState) : undefined;
  const { data, error, refetch } = useQuery(deliveriesQuery(webhookId, { page, state }));
  const show = (next: { page?: string; state?: string }) =>
    void navigate({ to: "/webhooks/$webhookId", params: { webhookId }, search: next, resetScroll: false });
  return (
    <Section
      title={messages.deliveries.title}
      intro={messages.deliveries.intro}
      isBare
      actions={
        <SegmentedControl
          aria-label={messages.deliveries.filter}
          data={FILTERS}
          value={state ?? ""}
          onChange={(value) => show(value ? { state: value } : {})}
        />
      }
    >
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.items.length === 0 && (
        <Text c="dimmed">{state ? messages.deliveries.noneInState : messages.deliveries.none}</Text>
      )}
      {data && data.items.length > 0 && (
        <Stack gap="md">
          <Accordion
            variant="contained"
            order={3}
            chevronPosition="left"
            styles={{ item: { background: "var(--mv-surface)" } }}
          >
            {data.items.map((delivery) => (
              <Accordion.Item key={delivery.id} value={delivery.id}>
                <Accordion.Control>
                  <Group justify="space-between" gap="xs">
                    <Group gap="xs">
                      <Text fw={500} size="sm">
                        {delivery.event}
                      </Text>
                      <Badge color={COLORS[delivery.state]}>
                        {messages.deliveries.states[delivery.state]}
                      </Badge>
                    </Group>
                    <Text size="sm" c="dimmed">
                      <Timestamp at={delivery.created_at} />
                    </Text>
                  </Group>
                </Accordion.Control>
                <Accordion.Panel>
                  <DeliveryDetails webhookId={webhookId} delivery={delivery} canReplay={isEnabled} />
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
          <Pager
            page={page}
            pageSize={DELIVERIES_PER_PAGE}
            total={data.total}
            onPage={(next) => show({ page: String(next), ...(state ? { state } : {}) })}
          />
        </Stack>
      )}
    </Section>
  );
}
