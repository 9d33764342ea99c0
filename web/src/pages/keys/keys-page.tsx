/** API keys of the account, and how to use them. */

import type { ApiKey } from "@mailvet/contract";
import { Alert, Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Section } from "../../components/section.tsx";
import type { Column } from "../../components/table/data-table.tsx";
import { accountQuery, service } from "../../queries.ts";
import { KeyManager } from "./key-manager.tsx";
import { keysQuery, stateOf } from "./key-queries.ts";
import { KeySnippets } from "./key-snippets.tsx";
import { messages } from "./messages.tsx";
import { KEY_PLACEHOLDER } from "./snippets.ts";

const CreateKey = lazy(async () => ({ default: (await import("./create-key.tsx")).CreateKey }));

export function Page() {
  const { data: account } = useQuery(accountQuery);
  return (
    <KeyManager
      texts={messages}
      query={keysQuery}
      columns={COLUMNS}
      revoke={service.keys.revoke}
      dialog={(close) => (
        <Suspense>
          <CreateKey onClose={close} />
        </Suspense>
      )}
      notice={
        account &&
        !account.limits.api_access && (
          <Alert color="yellow" title={messages.planRequired}>
            {messages.planRequiredText}
          </Alert>
        )
      }
    >
      {(keys) => <HowToUse newest={keys?.find((key) => stateOf(key) === "usable")} />}
    </KeyManager>
  );
}

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    name: messages.mode,
    width: 84,
    cell: ({ mode }) => <Badge color={mode === "live" ? "gray" : "violet"}>{messages.modes[mode][0]}</Badge>,
  },
  {
    name: messages.scopesColumn,
    cell: ({ scopes }) => scopes.map((scope) => messages.scopes[scope][0]).join(", "),
    isWide: true,
  },
];

function HowToUse({ newest }: { newest: ApiKey | undefined }) {
  return (
    <Section title={messages.usage} intro={newest ? messages.usageText : messages.usageTextNoKey}>
      <KeySnippets keyText={KEY_PLACEHOLDER} />
    </Section>
  );
}
