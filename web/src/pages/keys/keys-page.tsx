/** API keys: what programs show to be let in. */
import { Alert, Button, Code, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accountQuery } from "../../queries.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { PageHeader } from "../../shared/page-header.tsx";
import { Section } from "../../shared/section.tsx";
import { CreateKey } from "./create-key.tsx";
import { KeyList } from "./key-list.tsx";
import { keysQuery, stateOf } from "./key-queries.ts";
import { KeySnippets } from "./key-snippets.tsx";

export function Page() {
  const { data: keys, error, refetch } = useQuery(keysQuery);
  const { data: account } = useQuery(accountQuery);
  const [isMaking, setIsMaking] = useState(false);
  const make = <Button onClick={() => setIsMaking(true)}>Make a key</Button>;
  const newest = keys?.find((key) => stateOf(key) === "usable");
  return (
    <>
      <PageHeader title="API keys" actions={keys && keys.length > 0 ? make : undefined}>
        A program shows its key in the header <Code style={{ whiteSpace: "nowrap" }}>X-API-Key</Code>. Give
        each program its own, so that one can be revoked without the others.
      </PageHeader>
      <Stack gap="lg">
        {account && !account.limits.api_access && (
          <Alert color="yellow" title="Keys need a paid plan">
            Your plan includes the web app only. You can make keys now; they begin to work as soon as you are
            on a paid plan. Ask the operator of this installation for one.
          </Alert>
        )}
        {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
        {!keys && !error && <Loading />}
        {keys?.length === 0 && (
          <EmptyState title="No keys yet" action={make}>
            Make one to use Mailvet from your own programs, or a test key to try it without spending credits.
          </EmptyState>
        )}
        {keys && keys.length > 0 && <KeyList keys={keys} />}
        <Section
          title="How to use a key"
          intro={
            newest
              ? `With your key “${newest.name}”; put the whole of it in.`
              : "Put your key in once you have one."
          }
        >
          <KeySnippets keyText={newest ? `${newest.prefix}…` : "mv_live_…"} />
        </Section>
      </Stack>
      {isMaking && <CreateKey onClose={() => setIsMaking(false)} />}
    </>
  );
}
