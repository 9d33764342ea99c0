/** One notice for the whole app while the service can't be reached. */
import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useIsConnectionLost } from "../connection.ts";
import { common, shellMessages } from "../messages.ts";
import { queries } from "../queries.ts";

const { connection: messages } = shellMessages;

export function ConnectionBanner() {
  const isLost = useIsConnectionLost();
  const [isBusy, setIsBusy] = useState(false);
  const retry = async () => {
    setIsBusy(true);
    await queries.refetchQueries({ type: "active" });
    setIsBusy(false);
  };
  return (
    <div role="status">
      {isLost && (
        <Group className="banner" justify="center" gap="md" px="md" py={6}>
          <Text size="sm">{messages.lost}</Text>
          <Button size="compact-sm" variant="default" loading={isBusy} onClick={() => void retry()}>
            {common.retry}
          </Button>
        </Group>
      )}
    </div>
  );
}
