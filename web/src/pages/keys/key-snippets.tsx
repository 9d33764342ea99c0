/** Example requests in curl, JavaScript and Python. */

import "@mantine/core/styles/FloatingIndicator.layer.css";
import "@mantine/core/styles/Tabs.layer.css";
import { Stack, Tabs } from "@mantine/core";
import { CopyableCode } from "../../components/copyable-code.tsx";
import { messages } from "./messages.tsx";
import { snippetsFor } from "./snippets.ts";

export function KeySnippets({ keyText }: { keyText: string }) {
  const snippets = Object.entries(snippetsFor(keyText, window.location.origin));
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List aria-label={messages.language}>
        {snippets.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(([name, { shell, code }]) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <Stack gap="xs">
            <CopyableCode text={shell} label={messages.setUp(name)} />
            <CopyableCode text={code} label={messages.example(name)} />
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
