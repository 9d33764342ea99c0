/** Mail providers that refuse this installation and blocklists that have its address: since when, with what reply, and where to request removal. */

import type { ProviderState } from "@mailvet/contract";
import { Alert, Anchor, Stack, Text } from "@mantine/core";
import { providerName } from "../../components/provider-name.ts";
import { Timestamp } from "../../components/timestamp.tsx";
import { messages } from "./messages.tsx";

/** `hasIdentities`: there are several, so each is named. */
export function ProviderAlerts({
  providers,
  hasIdentities,
}: {
  providers: readonly ProviderState[];
  hasIdentities: boolean;
}) {
  const refused = providers.filter(({ state }) => state !== "slowed");
  const slowed = providers.filter(({ state }) => state === "slowed");
  if (providers.length === 0) return null;
  const nameOf = ({ provider, identity }: ProviderState) =>
    hasIdentities ? texts.fromIdentity(providerName(provider), identity) : providerName(provider);
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      {refused.map((state) => (
        <Alert
          key={`${state.provider} ${state.identity}`}
          color="red"
          title={(state.state === "listed" ? texts.lists : texts.refuses)(
            nameOf(state),
            <Timestamp at={state.since} isExact />,
          )}
        >
          {state.reply && (
            <Text size="sm" className="breaks" lang="en">
              {state.reply}
            </Text>
          )}
          <Text size="sm">
            {state.state === "refused" && `${texts.waits} `}{" "}
            {state.retry_at && <>{texts.retryAt(<Timestamp at={state.retry_at} isExact />)} </>}
            {state.removal_url && (
              <Anchor href={state.removal_url} target="_blank" rel="noreferrer" size="sm">
                {texts.removal}
              </Anchor>
            )}
          </Text>
        </Alert>
      ))}
      {slowed.length > 0 && (
        <Text size="sm" c="dimmed">
          {texts.slowed(slowed.map(nameOf))}
        </Text>
      )}
    </Stack>
  );
}

const texts = messages.providers;
