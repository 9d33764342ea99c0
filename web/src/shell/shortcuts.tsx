/** Opens the command palette and the list of shortcuts, by key or button. */
import { Button, Kbd, Text, UnstyledButton } from "@mantine/core";
import { useHotkeys, useOs } from "@mantine/hooks";
import { lazy, Suspense, useState } from "react";
import { Icon } from "../components/icon.tsx";
import { shellMessages } from "../messages.ts";

const { shortcuts: messages, palette } = shellMessages;
const SEARCH = "M13 13l4 4M14.500 9a5.500 5.500 0 1 1-11 0 5.500 5.500 0 0 1 11 0z";

// Without the second import, the bundler splits the code that every page needs into many files: 8 KB more for each page.
const CommandPalette = lazy(async () => {
  const [{ CommandPalette: default_ }] = await Promise.all([
    import("./command-palette.tsx"),
    import("@mantine/spotlight"),
  ]);
  return { default: default_ };
});

const ShortcutList = lazy(() => import("./shortcut-list.tsx"));

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
  const list = () => setIsListed(true);
  useHotkeys([
    ["shift+?", list],
    ["?", list], // on keyboards where it needs no shift
  ]);
  const command = useCommandKey();
  return (
    <>
      <SearchButton command={command} onClick={open} />
      {isLoaded && (
        <Suspense>
          <CommandPalette isOperator={isOperator} />
        </Suspense>
      )}
      {isListed && (
        <Suspense>
          <ShortcutList command={command} onClose={() => setIsListed(false)} />
        </Suspense>
      )}
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
