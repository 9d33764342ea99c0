/** Queries for the sessions and passkeys of the account. */
import { queryOptions } from "@tanstack/react-query";
import { service } from "../../queries.ts";

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: () => service.auth.sessions(),
});

export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: () => service.auth.passkeys(),
});
