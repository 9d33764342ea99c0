/** Egress identities: where they connect from, their names, their use today and what blocks them. */

import type { EgressIdentityStatus } from "@mailvet/contract";
import { Badge, Table, Text } from "@mantine/core";
import { formatNumber } from "../../components/number-format.ts";
import { Section } from "../../components/section.tsx";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";

const texts = messages.identities;

export function IdentityTable({ identities }: { identities: readonly EgressIdentityStatus[] }) {
  return (
    <Section title={texts.title} intro={texts.intro}>
      <Table className="stacks" aria-label={texts.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.name}</Table.Th>
            <Table.Th scope="col">{texts.origin}</Table.Th>
            <Table.Th scope="col">{texts.names}</Table.Th>
            <Table.Th scope="col" ta="right">
              {texts.today}
            </Table.Th>
            <Table.Th scope="col">{texts.blocked}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {identities.map((identity) => (
            <IdentityRow key={identity.name} identity={identity} />
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

function IdentityRow({ identity }: { identity: EgressIdentityStatus }) {
  const { sessions_today: today, sessions_per_day: cap, open_breakers: open } = identity;
  const isUsedUp = today !== null && cap !== null && today >= cap;
  const limits = [
    ...(identity.providers ? [texts.providers(identity.providers)] : []),
    ...(identity.share === 1 ? [] : [texts.share(identity.share)]),
    ...(identity.owner ? [texts.owner(identity.owner)] : []),
  ];
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} className="breaks">
        {identity.name}
        {limits.map((limit) => (
          <Text key={limit} size="xs" c="dimmed" fw={400}>
            {limit}
          </Text>
        ))}
      </Table.Th>
      <Table.Td className="breaks" data-name={texts.origin}>
        {identity.origin ?? texts.machine} {identity.is_down && <Badge color="red">{texts.down}</Badge>}
      </Table.Td>
      <Table.Td className="breaks" data-name={texts.names}>
        <div>
          {identity.ehlo_name}
          <Text size="xs" c="dimmed">
            {identity.mail_from}
          </Text>
        </div>
      </Table.Td>
      <Table.Td ta="right" className="tabular" data-name={texts.today}>
        {today === null ? common.none : texts.ofCap(today, cap)}{" "}
        {isUsedUp && <Badge color="yellow">{texts.usedUp}</Badge>}
      </Table.Td>
      <Table.Td className="breaks" data-name={texts.blocked}>
        {open === 0 ? common.none : texts.blockedAt(identity.blocked_at, formatNumber(open))}
      </Table.Td>
    </Table.Tr>
  );
}
