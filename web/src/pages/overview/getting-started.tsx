/** First steps of a new account, with their completion. */

import type { ApiKey } from "@mailvet/contract";
import { Anchor, Badge, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CopyableCode } from "../../components/copyable-code.tsx";
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
  const { start } = messages;
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }} component="section" aria-labelledby="getting-started">
      <Title order={2} size="h4" id="getting-started" mb="md">
        {start.title}
      </Title>
      <Stack component="ol" gap="lg" m={0} pl="lg">
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
            <Step title={start.call} isDone={keys.some(({ last_used_at }) => last_used_at !== null)}>
              <CopyableCode text={curlWith(newest?.prefix)} label={start.callLabel} />
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
    <li>
      <Stack gap={4}>
        <Group gap="xs">
          <Text fw={500}>{title}</Text>
          {isDone && (
            <Badge variant="dot" color="green">
              {messages.start.done}
            </Badge>
          )}
        </Group>
        {children}
      </Stack>
    </li>
  );
}

function curlWith(prefix = "mv_live_"): string {
  return [
    `curl ${window.location.origin}/api/v1/validation/single \\`,
    `  -H "X-API-Key: ${prefix}…" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '{"email":"valid@mailvet.test"}'`,
  ].join("\n");
}
