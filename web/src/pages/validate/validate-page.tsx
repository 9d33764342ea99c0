/**
 * Checks one address and shows the result.
 *
 * The URL names the address. A check starts only with a button, never by opening or reloading the page: these show
 * the result stored in this tab.
 */
import { MailvetProblem } from "@mailvet/sdk";
import {
  Alert,
  Anchor,
  Box,
  Button,
  Group,
  Loader,
  Paper,
  Stack,
  Text,
  Title,
  VisuallyHidden,
} from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { common } from "../../messages.ts";
import { mode } from "../../mode.ts";
import { AddressForm } from "./address-form.tsx";
import { CheckHistory } from "./check-history.tsx";
import { HowItWorks } from "./how-it-works.tsx";
import { messages } from "./messages.tsx";
import { RetryAlert } from "./retry-alert.tsx";
import { StageList } from "./stage-list.tsx";
import { useChecks } from "./use-checks.ts";
import { VerdictCard } from "./verdict-card.tsx";

export function Page() {
  const { email = "" } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { checks, pendingEmail, failure, check } = useChecks();
  const shown = checks.find(({ result }) => result.email === email);
  const isBusy = pendingEmail !== undefined;
  const failed = failure && failure.email === email ? failure.error : undefined;
  const { email: fieldProblem } = fieldProblems(failed);

  const ask = (address: string) => {
    void navigate({ to: "/validate", search: { email: address }, replace: address === email });
    check(address);
  };

  return (
    <>
      <PageHeader title={messages.title}>{messages.intro}</PageHeader>
      <Stack gap="lg">
        <div>
          <AddressForm email={email} isBusy={isBusy} problem={fieldProblem} onCheck={ask} />
          <div aria-live="polite">
            {pendingEmail !== undefined && <Checking email={pendingEmail} />}
            {failed !== undefined && !isBusy && !fieldProblem && (
              <Failed error={failed} onRetry={() => ask(email)} />
            )}
            {shown && !isBusy && (
              <VisuallyHidden>
                {messages.announcement(email, shown.result.status, shown.result.reason)}
              </VisuallyHidden>
            )}
            {email !== "" && !shown && !isBusy && failed === undefined && (
              <Text c="dimmed" mt="lg">
                {messages.notChecked}
              </Text>
            )}
          </div>
        </div>
        {shown && pendingEmail !== email && (
          <Stack gap="lg" component="article" aria-label={messages.resultFor(email)}>
            <VerdictCard check={shown}>
              {shown.result.suggestion && (
                <Suggestion email={shown.result.suggestion} isBusy={isBusy} onAsk={ask} />
              )}
              <RetryAlert check={shown} isBusy={isBusy} onAsk={ask} />
            </VerdictCard>
            <section aria-labelledby="stages">
              <Title order={2} size="h4" id="stages" mb="sm">
                {messages.stages.title}
              </Title>
              <StageList key={shown.result.request_id} result={shown.result} />
            </section>
          </Stack>
        )}
        {checks.length === 0 && !isBusy && <HowItWorks />}
        <CheckHistory checks={checks} shown={shown} />
      </Stack>
    </>
  );
}

function Checking({ email }: { email: string }) {
  return (
    <Paper withBorder p="lg" mt="lg">
      <Group wrap="nowrap">
        <Loader size="sm" aria-hidden />
        <div>
          <Text fw={500} className="breaks">
            {messages.checking(email)}
          </Text>
          <Text size="sm" c="dimmed">
            {messages.checkingHint}
          </Text>
        </div>
      </Group>
    </Paper>
  );
}

function Suggestion({
  email,
  isBusy,
  onAsk,
}: {
  email: string;
  isBusy: boolean;
  onAsk: (email: string) => void;
}) {
  return (
    <Alert color="brand" variant="light" title={messages.suggestion}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" fw={500} className="breaks">
          {email}
        </Text>
        <Button variant="default" disabled={isBusy} onClick={() => onAsk(email)}>
          {messages.checkSuggestion(common.price[mode])}
        </Button>
      </Group>
    </Alert>
  );
}

function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (!(error instanceof MailvetProblem) || error.code !== "insufficient_credits")
    return (
      <Box mt="lg">
        <ErrorAlert title={messages.failed} error={error} onRetry={onRetry} />
      </Box>
    );
  return (
    <Alert color="red" variant="light" role="alert" mt="lg" title={messages.outOfCredits}>
      <Text size="sm">
        {messages.outOfCreditsText(
          error.available ?? 0,
          <Anchor component={Link} to="/usage" inherit underline="always">
            {messages.seeUsage}
          </Anchor>,
        )}
      </Text>
    </Alert>
  );
}
