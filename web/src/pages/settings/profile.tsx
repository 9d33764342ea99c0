/** Email, credits, plan and limits of the account. */

import { Badge, Group, List, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { BlockLoading } from "../../components/loading.tsx";
import { Section } from "../../components/section.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { accountQuery } from "../../queries.ts";
import { messages } from "./messages.tsx";

export function Profile() {
  const { data: account, error, refetch } = useQuery(accountQuery);
  return (
    <Section title={messages.profile.title}>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!account && !error && <BlockLoading height={{ base: 400, xs: 284 }} />}
      {account && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" component="dl" m={0}>
            <Fact name={common.email}>
              <Group gap="xs">
                <span className="breaks">{account.email}</span>
                {account.is_operator && <Badge color="violet">{common.operator}</Badge>}
              </Group>
            </Fact>
            <Fact name={messages.profile.created}>
              <Timestamp at={account.created_at} />
            </Fact>
            <Fact name={messages.profile.credits}>
              {messages.profile.balance(account.credits.balance, account.credits.reserved)}
            </Fact>
            <Fact name={messages.profile.plan}>{common.plans[account.plan]}</Fact>
          </SimpleGrid>
          <Stack gap={4}>
            <Text size="sm" fw={500}>
              {messages.profile.limits}
            </Text>
            <List size="sm" spacing={4}>
              {common.planLimits(account.limits).map((line) => (
                <List.Item key={line}>{line}</List.Item>
              ))}
            </List>
            <Text size="sm" c="dimmed" mt={4}>
              {messages.profile.administrator}
            </Text>
          </Stack>
        </>
      )}
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} className="breaks">
        {children}
      </Text>
    </div>
  );
}
