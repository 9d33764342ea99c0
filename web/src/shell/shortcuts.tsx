/** Opens the command palette and the list of shortcuts, by key or button. */
import { Button, Group, Kbd, Modal, Table, Text, UnstyledButton } from "@mantine/core";
import { useHotkeys, useOs } from "@mantine/hooks";
import { lazy, Suspense, useState } from "react";
import { Icon } from "../components/icon.tsx";
import { shellMessages } from "../messages.ts";

const { shortcuts: messages, palette } = shellMessages;
const SEARCH = "M13 13l4 4M14.500 9a5.500 5.500 0 1 1-11 0 5.500 5.500 0 0 1 11 0z";

const CommandPalette = lazy(async () => {
  const [{ CommandPalette: default_ }, { spotlight }] = await Promise.all([
    import("./command-palette.tsx"),
    import("@mantine/spotlight"),
  ]);
  spotlight.open();
  return { default: default_ };
});

async function openPalette(): Promise<void> {
  const { spotlight } = await import("@mantine/spotlight");
  spotlight.open();
}

export function Shortcuts({ isOperator }: { isOperator: boolean }) {
  const [isLoaded, setIsLoaded] = useState(false);
  const [isListed, setIsListed] = useState(false);
  const open = () => {
    setIsLoaded(true);
    if (isLoaded) void openPalette();
  };
  useHotkeys([["mod+K", open]], []);
  useHotkeys([["shift+?", () => setIsListed(true)]]);
  const command = useCommandKey();
  return (
    <>
      <SearchButton command={command} onClick={open} />
      {isLoaded && (
        <Suspense>
          <CommandPalette isOperator={isOperator} />
        </Suspense>
      )}
      <Modal opened={isListed} onClose={() => setIsListed(false)} title={messages.title} centered>
        <Table aria-label={messages.title} withRowBorders={false}>
          <Table.Tbody>
            {messages.list(command).map(([keys, action]) => (
              <Table.Tr key={action}>
                <Table.Th scope="row" fw={400}>
                  {action}
                </Table.Th>
                <Table.Td ta="right">
                  <Group gap={4} justify="flex-end" wrap="nowrap">
                    {keys.map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Modal>
    </>
  );
}

function SearchButton({ command, onClick }: { command: string; onClick: () => void }) {
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        size="xs"
        fw={400}
        h={32}
        c="dimmed"
        leftSection={<Icon path={SEARCH} size={15} />}
        rightSection={<Kbd size="xs">{palette.shortcut(command)}</Kbd>}
        onClick={onClick}
      >
        {palette.open}
      </Button>
      <UnstyledButton hiddenFrom="sm" p={6} lh={0} aria-label={palette.open} onClick={onClick}>
        <Text span c="dimmed" lh={0}>
          <Icon path={SEARCH} size={20} />
        </Text>
      </UnstyledButton>
    </>
  );
}

/** The name of the key that is Ctrl elsewhere. */
function useCommandKey(): string {
  const os = useOs();
  return os === "macos" || os === "ios" ? messages.commandKey : messages.controlKey;
}
