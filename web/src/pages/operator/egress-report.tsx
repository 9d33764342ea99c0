/** The way out to mail servers, as the doctor found it. */
import type { DoctorFinding, DoctorReport } from "@mailvet/contract";
import { Badge, Button, Divider, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Fragment } from "react";
import { queries, service } from "../../queries.ts";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Section } from "../../shared/section.tsx";
import { Timestamp } from "../../shared/timestamp.tsx";
import { systemQuery } from "./operator-queries.ts";

const OUTCOMES: Readonly<Record<DoctorFinding["outcome"], { name: string; color: string }>> = {
  good: { name: "Good", color: "teal" },
  warning: { name: "Could be better", color: "yellow" },
  bad: { name: "Trouble", color: "red" },
  unknown: { name: "Not known", color: "gray" },
};

export function EgressReport({ report }: { report: DoctorReport | null }) {
  const run = useMutation({
    mutationFn: () => service.operator.runDoctor(),
    onSuccess: (egress) =>
      queries.setQueryData(systemQuery.queryKey, (system) => (system ? { ...system, egress } : undefined)),
  });
  return (
    <Section
      title="The way out"
      intro="Verdicts are as good as our standing with mail servers: port 25, our name and address, the lists we are on."
      actions={
        <Button variant="default" loading={run.isPending} onClick={() => run.mutate()}>
          Run the doctor
        </Button>
      }
    >
      <Text size="sm" c="dimmed" role="status">
        {run.isPending && "The doctor is looking. It takes up to half a minute."}
        {!run.isPending && report && (
          <>
            Looked at <Timestamp at={report.checked_at} />.
          </>
        )}
        {!run.isPending && !report && "The doctor has not been asked since the start."}
      </Text>
      {run.error && <ErrorAlert error={run.error} />}
      {report && (
        <Stack gap="sm">
          {report.findings.map((finding, index) => (
            // Some things are examined several times, such as one finding for each name server.
            // biome-ignore lint/suspicious/noArrayIndexKey: their order is the same in every run
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

/** Names of hosts stay as they are. */
function titleOf({ name }: DoctorFinding): string {
  return name.includes(".") ? name : name.charAt(0).toUpperCase() + name.slice(1);
}

function Finding({ finding }: { finding: DoctorFinding }) {
  const { name, color } = OUTCOMES[finding.outcome];
  return (
    <div>
      <Group gap="xs">
        <Text fw={600}>{titleOf(finding)}</Text>
        <Badge color={color}>{name}</Badge>
      </Group>
      <Text size="sm" className="breaks">
        {finding.found}
      </Text>
      {finding.advice && (
        <Text size="sm" c="dimmed" className="breaks">
          {finding.advice}
        </Text>
      )}
    </div>
  );
}
