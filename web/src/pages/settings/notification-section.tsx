/** Emails about jobs and low credits, and notifications of this browser. */
import { Button, Group, Stack, Switch, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Section } from "../../components/section.tsx";
import { isWholeNumber, WholeNumberInput } from "../../components/whole-number-input.tsx";
import { common } from "../../messages.ts";
import { aboutQuery, queries, service } from "../../queries.ts";
import { messages } from "./messages.tsx";

const settingsQuery = { queryKey: ["notifications"], queryFn: () => service.notifications() };

export function NotificationSection() {
  const { data: about } = useQuery(aboutQuery);
  const { data, error } = useQuery(settingsQuery);
  const change = useMutation({
    mutationFn: service.changeNotifications,
    onSuccess: (changed) => queries.setQueryData(settingsQuery.queryKey, changed),
  });
  const texts = messages.notifications;
  return (
    <Section title={texts.title} intro={about?.mail === false ? texts.noMail : texts.intro}>
      <Stack gap="md" align="flex-start">
        {(error ?? change.error) && <ErrorAlert error={error ?? change.error} />}
        <Switch
          label={texts.jobs}
          checked={data?.job_emails ?? false}
          disabled={!data || change.isPending}
          onChange={(event) => change.mutate({ job_emails: event.currentTarget.checked })}
        />
        <Threshold
          value={data?.low_credits_threshold ?? null}
          isDisabled={!data}
          isBusy={change.isPending}
          isSaved={change.isSuccess && "low_credits_threshold" in change.variables}
          onSave={(low_credits_threshold, onSuccess) =>
            change.mutate({ low_credits_threshold }, { onSuccess })
          }
        />
        <BrowserNotifications />
      </Stack>
    </Section>
  );
}

type ThresholdProps = {
  value: number | null;
  isDisabled: boolean;
  isBusy: boolean;
  isSaved: boolean;
  onSave: (value: number | null, onSuccess: () => void) => void;
};

function Threshold({ value, isDisabled, isBusy, isSaved, onSave }: ThresholdProps) {
  const [typed, setTyped] = useState<string>();
  const wanted = typed ?? String(value ?? "");
  const isSavable = wanted === "" || isWholeNumber(wanted);
  return (
    <Group align="flex-end" gap="sm">
      <WholeNumberInput
        label={messages.notifications.threshold}
        description={messages.notifications.thresholdHint}
        value={wanted}
        onChange={setTyped}
        disabled={isDisabled} // what is typed before the stored value arrives would be replaced by it
      />
      <Button
        variant="default"
        disabled={isDisabled || !isSavable}
        loading={isBusy}
        onClick={() => onSave(Number(wanted) || null, () => setTyped(undefined))}
      >
        {common.save}
      </Button>
      <Text size="sm" c="dimmed" role="status">
        {isSaved && typed === undefined && common.saved}
      </Text>
    </Group>
  );
}

function BrowserNotifications() {
  const isSupported = typeof Notification !== "undefined";
  const [permission, setPermission] = useState(isSupported ? Notification.permission : "denied");
  const texts = messages.notifications;
  if (!isSupported) return null;
  if (permission !== "default")
    return (
      <Text size="sm" c="dimmed">
        {texts.browser[permission]}
      </Text>
    );
  return (
    <Button variant="default" onClick={() => void Notification.requestPermission().then(setPermission)}>
      {texts.allowBrowser}
    </Button>
  );
}
