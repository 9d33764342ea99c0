/** API keys of the account, and how to use them. */

import { Alert, Button, Code, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Section } from "../../components/section.tsx";
import { accountQuery } from "../../queries.ts";
import { CreateKey } from "./create-key.tsx";
import { KeyList } from "./key-list.tsx";
import { keysQuery, stateOf } from "./key-queries.ts";
import { KeySnippets } from "./key-snippets.tsx";
import { messages } from "./messages.tsx";

const HEADER = "X-API-Key";

export function Page() {
  const { data: keys, error, refetch } = useQuery(keysQuery);
  const { data: account } = useQuery(accountQuery);
  const [isCreating, setIsCreating] = useState(false);
  const create = <Button onClick={() => setIsCreating(true)}>{messages.create}</Button>;
  const newest = keys?.find((key) => stateOf(key) === "usable");
  return (
    <>
      <PageHeader title={messages.title} actions={keys && keys.length > 0 ? create : undefined}>
        {messages.intro(<Code style={{ whiteSpace: "nowrap" }}>{HEADER}</Code>)}
      </PageHeader>
      <Stack gap="lg">
        {account && !account.limits.api_access && (
          <Alert color="yellow" title={messages.planRequired}>
            {messages.planRequiredText}
          </Alert>
        )}
        {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
        {!keys && !error && <Loading />}
        {keys?.length === 0 && (
          <EmptyState title={messages.none} action={create}>
            {messages.noneText}
          </EmptyState>
        )}
        {keys && keys.length > 0 && <KeyList keys={keys} />}
        <Section title={messages.usage} intro={newest ? messages.usageText : messages.usageTextNoKey}>
          <KeySnippets keyText={newest ? `${newest.prefix}…` : "mv_live_…"} />
        </Section>
      </Stack>
      {isCreating && <CreateKey onClose={() => setIsCreating(false)} />}
    </>
  );
}
