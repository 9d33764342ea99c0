/** Queries for saved lists and what has changed in them. */
import { queryOptions } from "@tanstack/react-query";
import { queries, service } from "../../queries.ts";

const ALL = ["lists"] as const;

export const listsQuery = queryOptions({
  queryKey: [...ALL, "all"],
  queryFn: ({ signal }) => service.lists.all({ signal }),
});

export const listQuery = (listId: string) =>
  queryOptions({
    queryKey: [...ALL, listId],
    queryFn: ({ signal }) => service.lists.get(listId, { signal }),
  });

export const changesQuery = (listId: string) =>
  queryOptions({
    queryKey: [...ALL, listId, "changes"],
    queryFn: ({ signal }) => service.lists.changes(listId, { signal }),
  });

export function listsChanged(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ALL });
}
