/**
 * One address and everything that was found out about it.
 *
 * The page's address says which one is looked at. It is checked when somebody presses a button, never by opening
 * or reloading the page: then the answer that this tab has had is shown again.
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
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { plural } from "../../shared/number-format.ts";
import { PageHeader } from "../../shared/page-header.tsx";
import { fieldProblems } from "../../shared/problem-text.ts";
import { AddressForm } from "./address-form.tsx";
import { CheckHistory } from "./check-history.tsx";
import { HowItWorks } from "./how-it-works.tsx";
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
  const failed = failure?.email === email ? failure.error : undefined;
  const { email: fieldProblem } = fieldProblems(failed);

  const ask = (address: string) => {
    void navigate({ to: "/validate", search: { email: address }, replace: address === email });
    check(address);
  };

  return (
    <>
      <PageHeader title="Validate">One address, and how we came to our verdict about it.</PageHeader>
      <Stack gap="lg">
        <div>
          <AddressForm email={email} isBusy={isBusy} problem={fieldProblem} onCheck={ask} />
          <div aria-live="polite">
            {pendingEmail !== undefined && <Asking email={pendingEmail} />}
            {failed !== undefined && !isBusy && !fieldProblem && (
              <Failed error={failed} onRetry={() => ask(email)} />
            )}
            {shown && !isBusy && (
              <VisuallyHidden>
                {email} is {shown.result.status}. {shown.result.reason}
              </VisuallyHidden>
            )}
            {email !== "" && !shown && !isBusy && failed === undefined && (
              <Text c="dimmed" mt="lg">
                Not checked in this tab yet. Press “Check” to ask; opening this page has cost nothing.
              </Text>
            )}
          </div>
        </div>
        {shown && pendingEmail !== email && (
          <Stack gap="lg" component="article" aria-label={`Result for ${email}`}>
            <VerdictCard check={shown}>
              {shown.result.suggestion && (
                <Suggestion email={shown.result.suggestion} isBusy={isBusy} onAsk={ask} />
              )}
              <RetryAlert check={shown} isBusy={isBusy} onAsk={ask} />
            </VerdictCard>
            <section aria-labelledby="story">
              <Title order={2} size="h4" id="story" mb="sm">
                How we came to it
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

function Asking({ email }: { email: string }) {
  return (
    <Paper withBorder p="lg" mt="lg">
      <Group wrap="nowrap">
        <Loader size="sm" aria-hidden />
        <div>
          <Text fw={600} className="breaks">
            Checking {email}
          </Text>
          <Text size="sm" c="dimmed">
            Mostly a second or two; up to half a minute where a mail server takes its time.
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
    <Alert color="cyan" variant="light" title="Did you mean another address?">
      <Group justify="space-between" gap="sm">
        <Text size="sm" fw={600} className="breaks">
          {email}
        </Text>
        <Button variant="default" disabled={isBusy} onClick={() => onAsk(email)}>
          Check it instead (1 credit)
        </Button>
      </Group>
    </Alert>
  );
}

function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (!(error instanceof MailvetProblem) || error.code !== "insufficient_credits")
    return (
      <Box mt="lg">
        <ErrorAlert title="It could not be checked" error={error} onRetry={onRetry} />
      </Box>
    );
  return (
    <Alert color="red" variant="light" role="alert" mt="lg" title="You are out of credits">
      <Text size="sm">
        A check costs 1 credit, and you have {plural(error.available ?? 0, "credit")}. Whoever runs this
        installation can give you more;{" "}
        <Anchor component={Link} to="/usage" inherit underline="always">
          see where yours went
        </Anchor>
        .
      </Text>
    </Alert>
  );
}
