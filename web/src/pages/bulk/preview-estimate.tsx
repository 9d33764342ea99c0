/** Expected verdicts of the list, from a free check of a sample. Requested by button: it takes seconds. */
import type { UploadEstimate } from "@mailvet/contract";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { formatNumber } from "../../components/number-format.ts";
import { Stat, StatGrid } from "../../components/stat.tsx";
import { service } from "../../queries.ts";
import { messages } from "./messages.tsx";

type PreviewEstimateProps = { uploadId: string; column: string; more: readonly string[] };

export function PreviewEstimate({ uploadId, column, more }: PreviewEstimateProps) {
  const [wanted, setWanted] = useState<string>();
  const columns = JSON.stringify([column, ...more]);
  const isWanted = wanted === columns;
  const { data, error, isFetching } = useQuery({
    queryKey: ["estimate", uploadId, columns],
    queryFn: ({ signal }) =>
      service.jobs.estimate({ uploadId, emailColumn: column, moreEmailColumns: more }, { signal }),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <Stack gap="sm" aria-live="polite">
      {!data && (
        <Group gap="sm">
          <Button variant="default" loading={isFetching} onClick={() => setWanted(columns)}>
            {messages.estimate.start}
          </Button>
          <Text size="sm" c="dimmed">
            {messages.estimate.hint}
          </Text>
        </Group>
      )}
      {isWanted && error && <ErrorAlert error={error} />}
      {data && <Expected estimate={data} />}
    </Stack>
  );
}

function Expected({ estimate }: { estimate: UploadEstimate }) {
  const { sampled, expected } = estimate;
  const counts = expected ?? estimate;
  const { names, hints } = messages.estimate;
  return (
    <>
      <StatGrid cols={{ base: 2, md: 4 }}>
        {(["undecided", "valid", "risky", "invalid"] as const).map((name) => (
          <Stat key={name} isSmall name={names[name]} value={formatNumber(counts[name])}>
            {hints[name]}
          </Stat>
        ))}
      </StatGrid>
      <Text size="sm" c="dimmed">
        {messages.estimate.basis(sampled, expected !== null)}
      </Text>
    </>
  );
}
