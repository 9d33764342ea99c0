/** Who the account is and what its plan allows. */
import { Badge, Group, List, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { accountQuery } from "../../queries.ts";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { plural } from "../../shared/number-format.ts";
import { Section } from "../../shared/section.tsx";
import { Timestamp } from "../../shared/timestamp.tsx";
import { limitsInWords, PLAN_NAMES } from "./plan-words.ts";

export function Profile() {
  const { data: account, error, refetch } = useQuery(accountQuery);
  return (
    <Section title="Profile">
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!account && !error && <Loading lines={3} />}
      {account && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" component="dl" m={0}>
            <Fact name="Email">
              <Group gap="xs">
                <span className="breaks">{account.email}</span>
                {account.is_operator && <Badge color="grape">Operator</Badge>}
              </Group>
            </Fact>
            <Fact name="Account since">
              <Timestamp at={account.created_at} />
            </Fact>
            <Fact name="Credits">
              {plural(account.credits.balance, "credit")} to spend
              {account.credits.reserved > 0 &&
                `, ${plural(account.credits.reserved, "more", "more")} held for jobs`}
            </Fact>
            <Fact name="Plan">{PLAN_NAMES[account.plan]}</Fact>
          </SimpleGrid>
          <Stack gap={4}>
            <Text size="sm" fw={600}>
              What your plan allows
            </Text>
            <List size="sm" spacing={4}>
              {limitsInWords(account.limits).map((line) => (
                <List.Item key={line}>{line}</List.Item>
              ))}
            </List>
            <Text size="sm" c="dimmed" mt={4}>
              The operator of this installation changes plans and grants credits.
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
