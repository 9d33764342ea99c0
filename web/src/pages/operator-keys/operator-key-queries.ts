/** Query for the operator keys. */
import { queryOptions } from "@tanstack/react-query";
import { service } from "../../queries.ts";

export const operatorKeysQuery = queryOptions({
  queryKey: ["operator", "keys"],
  queryFn: () => service.operator.keys.list(),
});
