/** The check of one row, as the page of a single check shows it, from what was stored. Opening it costs nothing. */
import "../../design/mantine-dialog.css";
import type { Job, ValidationResult } from "@mailvet/contract";
import { Alert, Button, CopyButton, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { common } from "../../messages.ts";
import { mode } from "../../mode.ts";
import { resultQuery } from "../bulk/job-queries.ts";
import { messages as checkMessages } from "../validate/messages.tsx";
import { StageList } from "../validate/stage-list.tsx";
import { useChecks } from "../validate/use-checks.ts";
import { VerdictCard } from "../validate/verdict-card.tsx";
import { messages } from "./messages.tsx";

export function RowStory({ job, row }: { job: Job; row: string }) {
  const navigate = useNavigate();
  const { data: result, error, refetch } = useQuery(resultQuery(job.id, row));
  const close = () =>
    void navigate({
      to: "/bulk/$jobId",
      params: { jobId: job.id },
      search: ({ row: _, ...before }: Record<string, string | undefined>) => before,
      resetScroll: false,
    });
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="xl"
      title={messages.story.title(rowOf(job, Number(row)))}
      closeButtonProps={{ "aria-label": common.close }}
    >
      {error ? (
        <ErrorAlert error={error} title={messages.story.failed} onRetry={() => void refetch()} />
      ) : result ? (
        <Story result={result} />
      ) : (
        <Loading lines={8} />
      )}
    </Drawer>
  );
}

/** With several email columns, results are numbered by cell. */
function rowOf({ more_email_columns: more = [] }: Job, cell: number): string {
  return String(Math.ceil(cell / (1 + more.length)));
}

function Story({ result }: { result: ValidationResult }) {
  const navigate = useNavigate();
  const { check, pendingEmail } = useChecks();
  const isBusy = pendingEmail !== undefined;
  const ask = (email: string) => {
    check(email);
    void navigate({ to: "/validate", search: { email } });
  };
  return (
    <Stack gap="lg" component="article" aria-label={checkMessages.resultFor(result.email)}>
      <VerdictCard check={{ result, receivedAtMs: Date.now() }}>
        {result.suggestion && <Suggestion email={result.suggestion} isBusy={isBusy} onAsk={ask} />}
        <Group>
          <Button variant="default" disabled={isBusy} onClick={() => ask(result.email)}>
            {messages.story.checkAgain(common.price[mode])}
          </Button>
        </Group>
      </VerdictCard>
      <section aria-labelledby="stages">
        <Title order={2} size="h4" id="stages" mb="sm">
          {checkMessages.stages.title}
        </Title>
        <StageList result={result} />
      </section>
    </Stack>
  );
}

type SuggestionProps = { email: string; isBusy: boolean; onAsk: (email: string) => void };

function Suggestion({ email, isBusy, onAsk }: SuggestionProps) {
  return (
    <Alert color="brand" variant="light" title={checkMessages.suggestion}>
      <Text size="sm" fw={500} className="breaks" mb="xs">
        {email}
      </Text>
      <Group gap="xs">
        <CopyButton value={email}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? common.copied : messages.story.copySuggestion}
            </Button>
          )}
        </CopyButton>
        <Button variant="default" disabled={isBusy} onClick={() => onAsk(email)}>
          {checkMessages.checkSuggestion(common.price[mode])}
        </Button>
      </Group>
    </Alert>
  );
}
