/** What the service is asked for about outcomes. */
import { queryOptions } from "@tanstack/react-query";
import { service } from "../../queries.ts";

export const feedbackReportQuery = queryOptions({
  queryKey: ["feedback", "report"],
  queryFn: () => service.feedback.report(),
});
