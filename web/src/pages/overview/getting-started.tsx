/** What a new account does first, each with whether it is done. */
import type { ApiKey } from "@mailvet/contract";
import { Anchor, Badge, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CopyableCode } from "../../shared/copyable-code.tsx";

export type Steps = {
  hasChecked: boolean;
  /** Keys that work. */
  keys: ApiKey[];
  hasJobs: boolean;
  /** The plan includes calling the API. */
  hasApi: boolean;
};

export function isEverythingDone({ hasChecked, keys, hasJobs, hasApi }: Steps): boolean {
  return hasChecked && hasJobs && (!hasApi || keys.some(({ last_used_at }) => last_used_at !== null));
}

export function GettingStarted({ steps: { hasChecked, keys, hasJobs, hasApi } }: { steps: Steps }) {
  const [newest] = keys;
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }} component="section" aria-labelledby="first-steps">
      <Title order={2} size="h4" id="first-steps" mb="md">
        First steps
      </Title>
      <Stack component="ol" gap="lg" m={0} pl="lg">
        <Step title="Check an address" isDone={hasChecked}>
          <Text size="sm">
            <Anchor
              inherit
              underline="always"
              renderRoot={(props) => (
                <Link {...props} to="/validate" search={{ email: "valid@mailvet.test" }} />
              )}
            >
              Try valid@mailvet.test
            </Anchor>
            , which asks nobody, or any other. You see every stage and the mail server’s own words.
          </Text>
        </Step>
        {hasApi ? (
          <>
            <Step title="Make an API key" isDone={newest !== undefined}>
              <Text size="sm">
                <Anchor inherit underline="always" renderRoot={(props) => <Link {...props} to="/keys" />}>
                  API keys
                </Anchor>{" "}
                shows a new key once. Copy it then; a key that is lost is simply replaced.
              </Text>
            </Step>
            <Step title="Call the API" isDone={keys.some(({ last_used_at }) => last_used_at !== null)}>
              <CopyableCode text={curlWith(newest?.prefix)} label="the curl line" />
              <Text size="sm" c="dimmed" mt={4}>
                {newest
                  ? `Put the whole key “${newest.name}” in place of ${newest.prefix}…; it was shown when it was made.`
                  : "Put your key in the place of the dots."}
              </Text>
            </Step>
          </>
        ) : (
          <Step title="Call the API" isDone={false}>
            <Text size="sm">
              Your plan is for this web app. Whoever runs this installation can open the API to you.
            </Text>
          </Step>
        )}
        <Step title="Upload a list" isDone={hasJobs}>
          <Text size="sm">
            <Anchor inherit underline="always" renderRoot={(props) => <Link {...props} to="/bulk" />}>
              Drop a CSV file
            </Anchor>
            , choose its column, see what it costs before it begins.
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
          <Text fw={600}>{title}</Text>
          {isDone && (
            <Badge variant="dot" color="teal">
              done
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
