/** For an unknown that time may settle: a button that wakes up when asking again makes sense. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { formatDuration } from "../../shared/timestamp.tsx";
import type { Check } from "./check-storage.ts";

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
    <Alert
      color="gray"
      variant="light"
      title={isReady ? "It is time to ask again" : "Asking later may settle it"}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" role="status">
          {isReady
            ? "The wait that was asked for is over."
            : `The other side wants to be left alone for ${formatDuration(metadata.retry_after)}. Sooner, the answer will hardly differ.`}
        </Text>
        <Button variant="default" loading={isBusy} disabled={!isReady} onClick={() => onAsk(email)}>
          {isReady ? "Ask again (1 credit)" : `Ask again in ${clock(secondsLeft)}`}
        </Button>
      </Group>
    </Alert>
  );
}

/** Counted from when the evidence was gathered, by this browser's clock. */
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

/** 4:05, or hours where it takes that long. */
function clock(seconds: number): string {
  if (seconds >= 3600) return formatDuration(seconds);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
