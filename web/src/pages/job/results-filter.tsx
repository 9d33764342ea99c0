/** Filters and order of the results. Every choice is a change of the URL. */
import type { Job, Status } from "@mailvet/contract";
import {
  Button,
  CloseButton,
  Group,
  NativeSelect,
  NumberInput,
  Popover,
  Stack,
  Switch,
  TextInput,
} from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { providerName } from "../../components/provider-name.ts";
import { common } from "../../messages.ts";
import { hasEnded } from "../bulk/job-queries.ts";
import { messages, subStatusText } from "./messages.tsx";
import { type FilterName, type FilterText, isNarrowed } from "./result-filter.ts";

const VERDICTS: readonly (readonly [string | undefined, string])[] = [
  [undefined, messages.results.all],
  ...(Object.entries(common.status) as [Status, string][]),
];

/** After the last key. */
const TYPING_MS = 250;

export function ResultsFilter({ job, filter }: { job: Job; filter: FilterText }) {
  const set = useSetFilter(job.id, filter);
  return (
    <Group justify="space-between" gap="sm">
      <VerdictLinks job={job} filter={filter} />
      <Group gap="xs" w={{ base: "100%", sm: "auto" }} wrap="nowrap">
        <TypedFilter
          key={`q ${filter.q === undefined}`}
          label={messages.results.search}
          text={filter.q ?? ""}
          onText={(q) => set({ q })}
          isSearch
        />
        <MoreFilters job={job} filter={filter} onSet={set} />
      </Group>
    </Group>
  );
}

type SetFilter = (changes: Partial<Record<FilterName, string | undefined>>) => void;

/** An empty text removes a filter. */
function useSetFilter(jobId: string, filter: FilterText): SetFilter {
  const navigate = useNavigate();
  return (changes) => {
    const next = Object.entries({ ...filter, ...changes }).filter(
      ([name, text]) =>
        text !== undefined && (text !== "" || (name === "sub_status" && !("sub_status" in changes))),
    );
    void navigate({
      to: "/bulk/$jobId",
      params: { jobId },
      search: Object.fromEntries(next),
      resetScroll: false,
      replace: true,
    });
  };
}

function VerdictLinks({ job, filter }: { job: Job; filter: FilterText }) {
  const { status, sub_status: _, ...rest } = filter;
  const choices = hasEnded(job) ? VERDICTS : [...VERDICTS, ["pending", messages.results.waiting] as const];
  return (
    <Group gap={5} role="group" aria-label={messages.results.filter}>
      {choices.map(([value, name]) => (
        <Button
          key={name}
          renderRoot={(props) => (
            <Link
              {...props}
              to="/bulk/$jobId"
              params={{ jobId: job.id }}
              search={value ? { ...rest, status: value } : rest}
              resetScroll={false}
              replace
            />
          )}
          size="sm"
          px={{ base: 7, xs: "sm" }}
          variant={value === status ? "filled" : "default"}
          aria-current={value === status ? "true" : undefined}
        >
          {name}
        </Button>
      ))}
    </Group>
  );
}

function MoreFilters({ job, filter, onSet }: { job: Job; filter: FilterText; onSet: SetFilter }) {
  const texts = messages.results.more;
  const { status: _, q: __, ...more } = filter;
  const count = Object.keys(more).length;
  const reasons = Object.keys(job.sub_status_counts).filter((name) => name !== "");
  return (
    <Popover position="bottom-end" withArrow trapFocus returnFocus width={300}>
      <Popover.Target>
        <Button variant={count > 0 ? "light" : "default"} flex="none">
          {texts.button(count)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.title}>
        <Stack gap="sm">
          <Switch
            label={texts.safe}
            checked={filter.safe_to_send === "true"}
            onChange={({ currentTarget: { checked } }) => onSet({ safe_to_send: checked ? "true" : "" })}
          />
          <NativeSelect
            label={texts.reason}
            value={filter.sub_status ?? ""}
            onChange={({ currentTarget: { value } }) => onSet({ sub_status: value })}
            data={[
              { value: "", label: texts.any },
              ...reasons.map((name) => ({ value: name, label: subStatusText(name).name })),
            ]}
          />
          <Group grow gap="xs">
            {(["min_score", "max_score"] as const).map((name) => (
              <NumberInput
                key={name}
                label={texts[name]}
                min={0}
                max={100}
                allowDecimal={false}
                allowNegative={false}
                value={filter[name] ?? ""}
                onChange={(value) => onSet({ [name]: String(value) })}
              />
            ))}
          </Group>
          <TypedFilter
            label={texts.domain}
            text={filter.domain ?? ""}
            onText={(domain) => onSet({ domain })}
          />
          <NativeSelect
            label={texts.provider}
            value={filter.provider ?? ""}
            onChange={({ currentTarget: { value } }) => onSet({ provider: value })}
            data={[
              { value: "", label: texts.any },
              ...PROVIDERS.map((slug) => ({ value: slug, label: providerName(slug) })),
            ]}
          />
          <NativeSelect
            label={texts.sort}
            value={filter.sort ?? ""}
            onChange={({ currentTarget: { value } }) => onSet({ sort: value })}
            data={texts.orders.map(([value, label]) => ({ value, label }))}
          />
          {(isNarrowed(filter) || filter.sort) && (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/bulk/$jobId"
                  params={{ jobId: job.id }}
                  search={{}}
                  resetScroll={false}
                  replace
                />
              )}
            >
              {texts.reset}
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The providers that most lists contain. */
const PROVIDERS = [...Object.keys(common.providers), "other"];

function TypedFilter({ label, text, onText, isSearch = false }: TypedFilterProps) {
  const [typed, setTyped] = useState(text);
  const apply = useDebouncedCallback(onText, TYPING_MS);
  useEffect(() => setTyped(text), [text]); // the URL has changed
  const change = (value: string) => {
    setTyped(value);
    apply(value.trim());
  };
  return (
    <TextInput
      {...(isSearch ? { "aria-label": label, placeholder: label, w: { base: "100%", xs: 240 } } : { label })}
      value={typed}
      onChange={({ currentTarget: { value } }) => change(value)}
      maxLength={255}
      rightSection={
        typed !== "" &&
        isSearch && <CloseButton size="sm" aria-label={messages.results.clear} onClick={() => change("")} />
      }
    />
  );
}

type TypedFilterProps = { label: string; text: string; onText: (text: string) => void; isSearch?: boolean };
