/** Usage per API key with its verdicts. */

import type { UsageDay } from "@mailvet/contract";
import { Progress, Table, Text } from "@mantine/core";
import { formatNumber } from "../../components/number-format.ts";
import { common } from "../../messages.ts";
import { STATUSES, statusFill } from "../../theme.ts";
import { messages } from "./messages.tsx";
import { checked, perKey } from "./usage-days.ts";

export function UsageByKey({
  days,
  keyName,
}: {
  days: UsageDay[];
  keyName: (keyId: string | null) => string;
}) {
  const keys = perKey(days);
  const most = Math.max(...keys.map(({ counts }) => checked(counts)));
  return (
    <Table.ScrollContainer minWidth={280} type="native" tabIndex={0} role="region" aria-labelledby="by-key">
      <Table className="tabular" verticalSpacing="sm" aria-labelledby="by-key">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{messages.usage.keyColumn}</Table.Th>
            <Table.Th scope="col" visibleFrom="sm" w="45%">
              {common.verdicts}
            </Table.Th>
            <Table.Th scope="col" ta="right">
              {messages.usage.checked}
            </Table.Th>
            <Table.Th scope="col" ta="right">
              {messages.usage.credits}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map(({ keyId, counts }) => (
            <Table.Tr key={keyId}>
              <Table.Th scope="row" fw={400} className="breaks">
                {keyName(keyId)}
              </Table.Th>
              <Table.Td visibleFrom="sm">
                <Progress.Root size="lg" aria-hidden>
                  {STATUSES.map((status) => (
                    <Progress.Section
                      key={status}
                      value={(counts[status] / most) * 100}
                      color={statusFill(status)}
                      withAria={false}
                    />
                  ))}
                </Progress.Root>
                <Text size="xs" c="dimmed" mt={4}>
                  {STATUSES.map((status) => messages.chart.count(counts[status], status)).join(" · ")}
                </Text>
              </Table.Td>
              <Table.Td ta="right">{formatNumber(checked(counts))}</Table.Td>
              <Table.Td ta="right">{formatNumber(counts.credits_used)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
