/** Outbound connectivity, as found by the diagnostics. */

import type { DoctorFinding, DoctorReport } from "@mailvet/contract";
import { Badge, Button, Divider, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Fragment } from "react";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Section } from "../../components/section.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { queries, service } from "../../queries.ts";
import { messages } from "./messages.tsx";
import { systemQuery } from "./operator-queries.ts";

const COLORS: Readonly<Record<DoctorFinding["outcome"], string>> = {
  good: "green",
  warning: "yellow",
  bad: "red",
  unknown: "gray",
};

export function EgressReport({ report }: { report: DoctorReport | null }) {
  const run = useMutation({
    mutationFn: () => service.operator.runDoctor(),
    onSuccess: (egress) =>
      queries.setQueryData(systemQuery.queryKey, (system) => (system ? { ...system, egress } : undefined)),
  });
  return (
    <Section
      title={messages.egress.title}
      intro={messages.egress.intro}
      actions={
        <Button variant="default" loading={run.isPending} onClick={() => run.mutate()}>
          {messages.egress.run}
        </Button>
      }
    >
      <Text size="sm" c="dimmed" role="status">
        {run.isPending && messages.egress.running}
        {!run.isPending && report && messages.egress.checkedAt(<Timestamp at={report.checked_at} />)}
        {!run.isPending && !report && messages.egress.never}
      </Text>
      {run.error && <ErrorAlert error={run.error} />}
      {report && (
        <Stack gap="sm">
          {report.findings.map((finding, index) => (
            // Names repeat, such as one finding per name server.
            // biome-ignore lint/suspicious/noArrayIndexKey: the order is the same in every run
            <Fragment key={`${finding.name} ${index}`}>
              {index > 0 && <Divider />}
              <Finding finding={finding} />
            </Fragment>
          ))}
        </Stack>
      )}
    </Section>
  );
}

/** What was found and the advice are sentences of the service, in English. */
function Finding({ finding }: { finding: DoctorFinding }) {
  return (
    <div>
      <Group gap="xs">
        <Text fw={500}>{messages.egress.check(finding.name)}</Text>
        {finding.identity && <Badge variant="outline">{finding.identity}</Badge>}
        <Badge color={COLORS[finding.outcome]}>{messages.egress.outcomes[finding.outcome]}</Badge>
      </Group>
      <Text size="sm" className="breaks" lang="en">
        {finding.found}
      </Text>
      {finding.advice && (
        <Text size="sm" c="dimmed" className="breaks" lang="en">
          {finding.advice}
        </Text>
      )}
    </div>
  );
}
