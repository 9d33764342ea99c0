/** Creates an API key: live or for tests. */

import "@mantine/core/styles/Radio.layer.css";
import type { KeyMode, KeyScope } from "@mailvet/contract";
import { Radio, Stack } from "@mantine/core";
import { useState } from "react";
import { service } from "../../queries.ts";
import { KeyDialog } from "./key-dialog.tsx";
import { keysQuery } from "./key-queries.ts";
import { KeySnippets } from "./key-snippets.tsx";
import { messages } from "./messages.tsx";

const SCOPES = Object.keys(messages.scopes) as KeyScope[];

export function CreateKey({ onClose }: { onClose: () => void }) {
  const [mode, setMode] = useState<KeyMode>("live");
  return (
    <KeyDialog
      title={messages.created}
      scopes={SCOPES.map((scope) => [scope, ...messages.scopes[scope]])}
      initialScopes={SCOPES}
      initialExpiry="never"
      namePlaceholder={messages.namePlaceholder}
      create={(draft) => service.keys.create({ ...draft, mode })}
      queryKey={keysQuery.queryKey}
      before={
        <Radio.Group label={messages.mode} value={mode} onChange={(value) => setMode(value as KeyMode)}>
          <Stack gap="xs" mt={6}>
            {Object.entries(messages.modes).map(([value, [label, description]]) => (
              <Radio key={value} value={value} label={label} description={description} />
            ))}
          </Stack>
        </Radio.Group>
      }
      more={(key) => <KeySnippets keyText={key} />}
      onClose={onClose}
    />
  );
}
