/** Egress identities: where they connect from, their names, their use today and what blocks them. */

import type { EgressIdentityStatus } from "@mailvet/contract";
import { Badge, Text } from "@mantine/core";
import { formatNumber } from "../../components/number-format.ts";
import { Section } from "../../components/section.tsx";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";

const texts = messages.identities;

export function IdentityTable({ identities }: { identities: readonly EgressIdentityStatus[] }) {
  return (
    <Section title={texts.title} intro={texts.intro} isBare>
      <DataTable label={texts.title} rows={identities} rowKey={({ name }) => name} columns={COLUMNS} />
    </Section>
  );
}

const COLUMNS: readonly Column<EgressIdentityStatus>[] = [
  { name: texts.name, width: "16%", wraps: true, cell: (identity) => <IdentityName identity={identity} /> },
  {
    name: texts.origin,
    wraps: true,
    cell: ({ origin, is_down }) => (
      <>
        {origin ?? texts.machine} {is_down && <Badge color="red">{texts.down}</Badge>}
      </>
    ),
  },
  {
    name: texts.names,
    width: "30%",
    wraps: true,
    cell: ({ ehlo_name, mail_from }) => (
      <span title={`${ehlo_name} · ${mail_from}`}>
        {ehlo_name} <Dim>{mail_from}</Dim>
      </span>
    ),
  },
  { name: texts.today, cell: (identity) => <Today identity={identity} />, isNumber: true },
  {
    name: texts.blocked,
    width: "24%",
    wraps: true,
    cell: ({ open_breakers: open, blocked_at }) => {
      const text = open === 0 ? common.none : texts.blockedAt(blocked_at, formatNumber(open));
      return <span title={text}>{text}</span>;
    },
  },
];

function Dim({ children }: { children: string }) {
  return (
    <Text span inherit c="dimmed" fw={400}>
      {children}
    </Text>
  );
}

function IdentityName({ identity }: { identity: EgressIdentityStatus }) {
  const limits = [
    ...(identity.providers ? [texts.providers(identity.providers)] : []),
    ...(identity.share === 1 ? [] : [texts.share(identity.share)]),
    ...(identity.owner ? [texts.owner(identity.owner)] : []),
  ].join(" · ");
  return (
    <span title={limits}>
      {identity.name} <Dim>{limits}</Dim>
    </span>
  );
}

function Today({ identity: { sessions_today: today, sessions_per_day: cap } }: TodayProps) {
  if (today === null) return common.none;
  return (
    <>
      {texts.ofCap(today, cap)} {cap !== null && today >= cap && <Badge color="yellow">{texts.usedUp}</Badge>}
    </>
  );
}

type TodayProps = { identity: Pick<EgressIdentityStatus, "sessions_today" | "sessions_per_day"> };
