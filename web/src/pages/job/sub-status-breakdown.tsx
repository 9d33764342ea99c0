/** Reasons for the verdicts of a job, most frequent first. */
import type { Job } from "@mailvet/contract";
import { recommendationOf } from "@mailvet/contract/words";
import { Anchor, Button, Paper, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import { statusColor, statusFill } from "../../theme.ts";
import { share } from "../bulk/verdict-bar.tsx";
import classes from "./job.module.css";
import { messages, subStatusText } from "./messages.tsx";

const SHOWN_INITIALLY = 6;

export function SubStatusBreakdown({ job }: { job: Job }) {
  const [isExpanded, setIsExpanded] = useState(false);
  const reasons = Object.entries(job.sub_status_counts)
    .filter(([, count]) => count > 0)
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
  const most = reasons[0]?.[1] ?? 0;
  const shown = isExpanded ? reasons : reasons.slice(0, SHOWN_INITIALLY);
  const hidden = reasons.length - shown.length;
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }} component="section" aria-labelledby="reasons-title">
      <Title order={2} size="h4" id="reasons-title" mb="sm">
        {messages.reasons.title}
      </Title>
      {reasons.length === 0 && (
        <Text size="sm" c="dimmed">
          {messages.reasons.empty}
        </Text>
      )}
      <ul className={classes.reasons}>
        {shown.map(([subStatus, count]) => {
          const { status, name, meaning } = subStatusText(subStatus);
          return (
            <li key={subStatus} title={meaning}>
              <span className={classes.dot} style={{ background: statusColor(status) }} aria-hidden="true" />
              <span className="cut">
                <Anchor
                  renderRoot={(props) => (
                    <Link
                      {...props}
                      to="/bulk/$jobId"
                      params={{ jobId: job.id }}
                      search={{ status, sub_status: subStatus }}
                      hash="results"
                    />
                  )}
                  inherit
                  underline="always"
                >
                  {name}
                </Anchor>{" "}
                <Text span inherit c="dimmed">
                  {messages.reasons.advice(
                    status,
                    subStatus === "smtp_skipped" // it was not asked for
                      ? undefined
                      : recommendationOf({ sub_status: subStatus, safe_to_send: true }),
                  )}
                </Text>
              </span>
              <span className={classes.reasonBar} aria-hidden="true">
                <span style={{ width: share(count, most), background: statusFill(status) }} />
              </span>
              <span className="tabular">{formatNumber(count)}</span>
              <Text span inherit c="dimmed" className="tabular">
                {formatPercent(count / Math.max(1, job.processed), 1)}
              </Text>
            </li>
          );
        })}
      </ul>
      {(hidden > 0 || isExpanded) && (
        <Button
          variant="subtle"
          size="compact-sm"
          mt="xs"
          onClick={() => setIsExpanded(!isExpanded)}
          aria-expanded={isExpanded}
        >
          {isExpanded ? messages.reasons.fewer : messages.reasons.more(hidden)}
        </Button>
      )}
    </Paper>
  );
}
