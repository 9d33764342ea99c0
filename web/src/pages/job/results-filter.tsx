/** Filters and order of the results. Every choice is a change of the URL. */
import type { Job, Status } from "@mailvet/contract";
import { Button, Group } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy } from "react";
import { LazyMenu } from "../../components/menu/lazy-menu.tsx";
import { common } from "../../messages.ts";
import { hasEnded } from "../bulk/job-queries.ts";
import { messages } from "./messages.tsx";
import type { FilterText, SetFilter } from "./result-filter.ts";
import { TypedFilter } from "./typed-filter.tsx";

const load = () => import("./filter-panel.tsx");
const FilterPanel = lazy(load);

const VERDICTS: readonly (readonly [string | undefined, string])[] = [
  [undefined, messages.results.all],
  ...(Object.entries(common.status) as [Status, string][]),
];

export function ResultsFilter({ job, filter }: { job: Job; filter: FilterText }) {
  const set = useSetFilter(job.id, filter);
  return (
    <Group justify="space-between" gap="sm">
      <VerdictLinks job={job} filter={filter} />
      <Group gap="xs" w={{ base: "100%", sm: "auto" }} wrap="nowrap">
        <TypedFilter
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
          variant={value === status ? "light" : "default"}
          aria-current={value === status ? "true" : undefined}
        >
          {name}
        </Button>
      ))}
    </Group>
  );
}

function MoreFilters({ job, filter, onSet }: { job: Job; filter: FilterText; onSet: SetFilter }) {
  const { status: _, q: __, ...more } = filter;
  const count = Object.keys(more).length;
  return (
    <LazyMenu
      button={
        <Button variant={count > 0 ? "light" : "default"} flex="none">
          {messages.results.more.button(count)}
        </Button>
      }
      popup="dialog"
      preload={() => void load()}
    >
      {(button) => <FilterPanel button={button} job={job} filter={filter} onSet={onSet} />}
    </LazyMenu>
  );
}
