/** For a temporary unknown: a retry button with a countdown. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { formatDuration } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { mode } from "../../mode.ts";
import type { Check } from "./check-storage.ts";
import { messages } from "./messages.tsx";

export function RetryAlert({
  check,
  isBusy,
  onAsk,
}: {
  check: Check;
  isBusy: boolean;
  onAsk: (email: string) => void;
}) {
  const { email, metadata } = check.result;
  const secondsLeft = useSecondsUntil(readyAtMs(check));
  if (metadata.retry_after === null) return null;
  const isReady = secondsLeft === 0;
  return (
    <Alert color="gray" variant="light" {...(isReady && { title: messages.retry.ready })}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" role="status">
          {isReady
            ? messages.retry.readyText
            : messages.retry.waitingText(formatDuration(metadata.retry_after))}
        </Text>
        <Button variant="default" loading={isBusy} disabled={!isReady} onClick={() => onAsk(email)}>
          {isReady ? messages.retry.retry(common.price[mode]) : messages.retry.retryIn(clock(secondsLeft))}
        </Button>
      </Group>
    </Alert>
  );
}

/** Relative to when the evidence was collected, by the browser's clock. */
function readyAtMs({ result: { metadata }, receivedAtMs }: Check): number {
  const ageMs = Math.max(0, metadata.timestamp - metadata.checked_at) * 1000;
  return receivedAtMs - ageMs + (metadata.retry_after ?? 0) * 1000;
}

function useSecondsUntil(timeMs: number): number {
  const left = () => Math.max(0, Math.ceil((timeMs - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  // biome-ignore lint/correctness/useExhaustiveDependencies: left() depends on timeMs alone
  useEffect(() => {
    setSeconds(left());
    const timer = setInterval(() => {
      setSeconds(left());
      if (left() === 0) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [timeMs]);
  return seconds;
}

/** "4:05", or hours. */
function clock(seconds: number): string {
  if (seconds >= 3600) return formatDuration(seconds);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
