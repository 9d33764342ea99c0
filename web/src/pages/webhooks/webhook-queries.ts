/** Queries for webhook endpoints and their deliveries. */
import type { WebhookDelivery } from "@mailvet/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { queries, service } from "../../queries.ts";

const ALL = ["webhooks"] as const;

export const webhooksQuery = queryOptions({
  queryKey: [...ALL, "list"],
  queryFn: () => service.webhooks.list(),
});

export const webhookQuery = (webhookId: string) =>
  queryOptions({ queryKey: [...ALL, webhookId], queryFn: () => service.webhooks.get(webhookId) });

export type DeliveryState = WebhookDelivery["state"];
export type DeliveryPage = { page: number; state: DeliveryState | undefined };

export const DELIVERIES_PER_PAGE = 20;
const WHILE_PENDING_MS = 3000;

/** Refetches while a delivery on the page is pending. */
export const deliveriesQuery = (webhookId: string, { page, state }: DeliveryPage) =>
  queryOptions({
    queryKey: [...ALL, webhookId, "deliveries", page, state],
    queryFn: () =>
      service.webhooks.deliveries(webhookId, {
        skip: (page - 1) * DELIVERIES_PER_PAGE,
        limit: DELIVERIES_PER_PAGE,
        state,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.items.some((delivery) => delivery.state === "pending") ? WHILE_PENDING_MS : false,
  });

export function webhooksChanged(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ALL });
}
