/** First steps of a new account, with their completion. */

import type { ApiKey } from "@mailvet/contract";
import { Anchor, Group, Paper, Stack, Text, ThemeIcon, Title, VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CopyableCode } from "../../components/copyable-code.tsx";
import { Icon } from "../../components/icon.tsx";
import { messages } from "./messages.tsx";

export type GettingStartedSteps = {
  hasChecked: boolean;
  /** Usable keys. */
  keys: ApiKey[];
  hasJobs: boolean;
  /** The plan includes the API. */
  hasApi: boolean;
};

export function isEverythingDone({ hasChecked, keys, hasJobs, hasApi }: GettingStartedSteps): boolean {
  return hasChecked && hasJobs && (!hasApi || keys.some(({ last_used_at }) => last_used_at !== null));
}

export function GettingStarted({
  steps: { hasChecked, keys, hasJobs, hasApi },
}: {
  steps: GettingStartedSteps;
}) {
  const [newest] = keys;
  const hasCalled = keys.some(({ last_used_at }) => last_used_at !== null);
  const done = [hasChecked, ...(hasApi ? [newest !== undefined] : []), hasCalled, hasJobs];
  const { start } = messages;
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }} component="section" aria-labelledby="getting-started">
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4" id="getting-started">
          {start.title}
        </Title>
        <Text size="sm" c="dimmed" role="status">
          {start.progress(done.filter(Boolean).length, done.length)}
        </Text>
      </Group>
      <Stack component="ol" gap="md" className="plain-list">
        <Step title={start.check} isDone={hasChecked}>
          <Text size="sm">
            {start.checkText(
              <Anchor
                inherit
                underline="always"
                renderRoot={(props) => (
                  <Link {...props} to="/validate" search={{ email: "valid@mailvet.test" }} />
                )}
              >
                {start.checkLink}
              </Anchor>,
            )}
          </Text>
        </Step>
        {hasApi ? (
          <>
            <Step title={start.key} isDone={newest !== undefined}>
              <Text size="sm">
                {start.keyText(
                  <Anchor inherit underline="always" renderRoot={(props) => <Link {...props} to="/keys" />}>
                    {start.keyLink}
                  </Anchor>,
                )}
              </Text>
            </Step>
            <Step title={start.call} isDone={hasCalled}>
              <CopyableCode text={exampleCall()} label={start.callLabel} />
              <Text size="sm" c="dimmed" mt={4}>
                {start.callText}
              </Text>
            </Step>
          </>
        ) : (
          <Step title={start.call} isDone={false}>
            <Text size="sm">{start.callUnavailable}</Text>
          </Step>
        )}
        <Step title={start.upload} isDone={hasJobs}>
          <Text size="sm">
            {start.uploadText(
              <Anchor inherit underline="always" renderRoot={(props) => <Link {...props} to="/bulk" />}>
                {start.uploadLink}
              </Anchor>,
            )}
          </Text>
        </Step>
      </Stack>
    </Paper>
  );
}

function Step({ title, isDone, children }: { title: string; isDone: boolean; children: ReactNode }) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="flex-start">
      <ThemeIcon
        variant={isDone ? "light" : "default"}
        color="green"
        size={24}
        radius="xl"
        aria-hidden="true"
      >
        {isDone && <Icon path={CHECK} size={16} strokeWidth={2} />}
      </ThemeIcon>
      <Stack gap={4} miw={0} flex={1}>
        <Text fw={500} {...(isDone && { c: "dimmed" })}>
          {title} <VisuallyHidden>{isDone ? messages.start.done : messages.start.open}</VisuallyHidden>
        </Text>
        {!isDone && children}
      </Stack>
    </Group>
  );
}

const CHECK = "m5.5 10.5 3 3 6-7";

function exampleCall(): string {
  return [
    `curl ${window.location.origin}/api/v1/validation/single \\`,
    `  -H "X-API-Key: YOUR_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '{"email":"valid@mailvet.test"}'`,
  ].join("\n");
}
