/** Ledger of the account in lines: one per job, one per day and key for single checks, one per grant; entries on demand. */

import "@mantine/core/styles/FloatingIndicator.layer.css";
import "@mantine/core/styles/SegmentedControl.layer.css";
import type { StatementKind, StatementLine } from "@mailvet/contract";
import { Button, Group, Paper, SegmentedControl, Stack, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading, TableLoading } from "../../components/loading.tsx";
import { Pager } from "../../components/pager.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { keysQuery } from "../keys/key-queries.ts";
import { Reference, signed } from "./ledger-entry.tsx";
import { messages } from "./messages.tsx";
import { saveFile, statementCsv } from "./usage-csv.ts";
import { dayName } from "./usage-days.ts";
import { allLines, entriesQuery, jobNamesQuery, LEDGER_PAGE_SIZE, statementQuery } from "./usage-queries.ts";
import { keyNames } from "./usage-section.tsx";

const ALL = "all";
const FILTERS = [ALL, "job", "checks", "grant"] as const;

export function LedgerTable({ page, onPage }: { page: number; onPage: (page: number) => void }) {
  const [filter, setFilter] = useState<(typeof FILTERS)[number]>(ALL);
  const kind: StatementKind | undefined = filter === ALL ? undefined : filter;
  const { data, error, refetch, isPending } = useQuery(statementQuery(page, kind));
  const texts = messages.ledger;
  const download = async () => saveFile("mailvet-ledger.csv", "text/csv", statementCsv(await allLines(kind)));
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <SegmentedControl
          aria-label={texts.filter}
          data={FILTERS.map((value) => ({ value, label: texts.filters[value] }))}
          value={filter}
          onChange={(value) => {
            setFilter(value as typeof filter);
            onPage(1);
          }}
        />
        <Button variant="default" disabled={!data || data.total === 0} onClick={() => void download()}>
          {messages.usage.download}
        </Button>
      </Group>
      {isPending ? (
        <TableLoading rows={4} />
      ) : error ? (
        <ErrorAlert error={error} onRetry={() => void refetch()} />
      ) : data.lines.length === 0 && page > 1 ? (
        <EmptyState
          title={texts.noSuchPage}
          action={
            <Button variant="default" onClick={() => onPage(1)}>
              {texts.firstPage}
            </Button>
          }
        />
      ) : data.total === 0 ? (
        <EmptyState title={texts.none}>{texts.noneText}</EmptyState>
      ) : (
        <>
          <Lines lines={data.lines} />
          <Pager page={page} pageSize={LEDGER_PAGE_SIZE} total={data.total} onPage={onPage} />
        </>
      )}
    </Stack>
  );
}

function Lines({ lines }: { lines: readonly StatementLine[] }) {
  const { data: jobNames } = useQuery(jobNamesQuery);
  const { data: keys } = useQuery(keysQuery);
  const keyName = keyNames(keys);
  return (
    <Paper withBorder component="ul" className="plain-list ruled" aria-label={messages.ledger.title}>
      {lines.map((line) => (
        <Line
          key={`${line.kind} ${line.reference ?? line.date} ${line.key_id} ${line.last_at}`}
          line={line}
          title={titleOf(line, jobNames, keyName)}
          jobNames={jobNames}
        />
      ))}
    </Paper>
  );
}

function titleOf(
  { kind, reference, key_id }: StatementLine,
  jobNames: ReadonlyMap<string, string> | undefined,
  keyName: (keyId: string | null) => string,
): string {
  if (kind === "checks") return keyName(key_id);
  if (kind === "grant") return reference ?? "";
  return jobNames?.get(reference!) ?? messages.ledger.job(reference!.slice(0, 8));
}

type LineProps = {
  line: StatementLine;
  title: string;
  jobNames: ReadonlyMap<string, string> | undefined;
};

function Line({ line, title, jobNames }: LineProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { kind, charged, refunded, granted, reserved, entries } = line;
  const texts = messages.ledger;
  const net = granted + refunded - charged;
  return (
    <Stack component="li" gap="xs" px="sm" py="xs">
      <Group justify="space-between" gap="sm" style={{ rowGap: 0 }}>
        <Text
          size="sm"
          component="div"
          flex={{ base: "1 1 100%", sm: "1 1 200px" }}
          miw={0}
          className="cut"
          title={title}
        >
          {title}{" "}
          <Text span inherit c="dimmed">
            {kind === "checks" ? (
              texts.checksOf(dayName(line.date))
            ) : (
              <>
                {texts.kindNames[kind]} · <Timestamp at={line.last_at} />
              </>
            )}
          </Text>
        </Text>
        <Group gap="md" wrap="nowrap" flex={{ base: "1 1 100%", sm: "none" }} className="tabular">
          {refunded > 0 && (
            <Text size="xs" c="dimmed">
              {texts.refundedOf(refunded, charged)}
            </Text>
          )}
          {kind === "job" && reserved > 0 && (
            <Text size="xs" c="dimmed">
              {texts.reservedNow(reserved)}
            </Text>
          )}
          <UnstyledButton
            fz="xs"
            c="var(--mv-link)"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? texts.hideEntries : texts.showEntries(entries)}
          </UnstyledButton>
          <Text size="sm" fw={500} miw={72} ms="auto" ta="right">
            {net === 0 ? "0" : signed(net)}
          </Text>
        </Group>
      </Group>
      {isOpen && <Entries line={line} jobNames={jobNames} />}
    </Stack>
  );
}

function Entries({ line, jobNames }: Pick<LineProps, "line" | "jobNames">) {
  const { data, error, refetch, isPending } = useQuery(entriesQuery(line));
  if (isPending) return <Loading lines={2} />;
  if (error) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <ul className="plain-list" aria-label={messages.ledger.entries}>
        {data.ledger.map((entry) => (
          <Group key={entry.id} component="li" justify="space-between" wrap="nowrap" gap="sm" py={2}>
            <Text size="xs" component="div" className="breaks">
              {messages.ledger.kinds[entry.kind]} · <Reference entry={entry} jobNames={jobNames} /> ·{" "}
              <Timestamp at={entry.created_at} isExact />
            </Text>
            <Text size="xs" className="tabular" style={{ flexShrink: 0 }}>
              {entry.amount !== 0 && signed(entry.amount)}{" "}
              {entry.reserved_change !== 0 && messages.ledger.reservedChange(signed(entry.reserved_change))}{" "}
              {messages.ledger.balanceAfter(entry.balance_after)}
            </Text>
          </Group>
        ))}
      </ul>
      {data.ledger.length < data.total && (
        <Text size="xs" c="dimmed">
          {messages.ledger.latestEntries(data.ledger.length, data.total)}
        </Text>
      )}
    </>
  );
}
