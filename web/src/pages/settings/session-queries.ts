/** Query for the sessions of the account. */
import { queryOptions } from "@tanstack/react-query";
import { service } from "../../queries.ts";

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: () => service.auth.sessions(),
});
