/** Form fields of a saved list: name, tags, schedule and what it costs. */
import type { ListSchedule, SavedList } from "@mailvet/contract";
import { LIST_SCHEDULES, recheckDays } from "@mailvet/contract/words";
import { NativeSelect, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { FieldsProps } from "../../components/settings-form.tsx";
import { isWholeNumber, WholeNumberInput } from "../../components/whole-number-input.tsx";
import { common } from "../../messages.ts";
import { isTestMode } from "../../mode.ts";
import { accountQuery } from "../../queries.ts";
import { messages } from "./messages.tsx";

export type ListDraft = { name: string; tags: string; schedule: ListSchedule | ""; staleAfterDays: string };

const DEFAULT_DAYS = 7;
const MAX_DAYS = 365;
const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 50;
const MAX_NAME_LENGTH = 100;

export function newDraft(filename: string): ListDraft {
  return {
    name: filename.slice(0, MAX_NAME_LENGTH),
    tags: "",
    schedule: "",
    staleAfterDays: String(DEFAULT_DAYS),
  };
}

export function draftOf({ name, tags, schedule, stale_after_days }: SavedList): ListDraft {
  return { name, tags: tags.join(", "), schedule: schedule ?? "", staleAfterDays: String(stale_after_days) };
}

export function requestOf({ name, tags, schedule, staleAfterDays }: ListDraft) {
  return {
    name: name.trim(),
    tags: tagsIn(tags),
    schedule: schedule === "" ? null : schedule,
    // Not shown without a schedule, so it must not be rejected then.
    stale_after_days: schedule !== "" || isInRange(staleAfterDays) ? Number(staleAfterDays) : DEFAULT_DAYS,
  };
}

const isInRange = (days: string) => isWholeNumber(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS;

function tagsIn(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

/** Errors found before the request. */
export function draftProblems({ name, tags, schedule, staleAfterDays }: ListDraft): Record<string, string> {
  const found = tagsIn(tags);
  const isTooMuch = found.length > MAX_TAGS || found.some((tag) => tag.length > MAX_TAG_LENGTH);
  const hasDays = schedule === "" || isInRange(staleAfterDays);
  return {
    ...(hasDays ? {} : { stale_after_days: messages.form.daysOutOfRange(MAX_DAYS) }),
    ...(name.trim() === "" ? { name: common.required } : {}),
    ...(isTooMuch ? { tags: messages.form.tooManyTags } : {}),
  };
}

/** `emails`: how many a run may check. */
export function ListFields({
  draft,
  onChange,
  problems,
  emails,
}: FieldsProps<ListDraft> & { emails: number | undefined }) {
  const texts = messages.form;
  return (
    <>
      <TextInput
        label={texts.name}
        maxLength={MAX_NAME_LENGTH}
        value={draft.name}
        onChange={({ currentTarget }) => onChange({ ...draft, name: currentTarget.value })}
        error={problems.name}
        data-autofocus
      />
      <TextInput
        label={texts.tags}
        description={texts.tagsHint}
        value={draft.tags}
        onChange={({ currentTarget }) => onChange({ ...draft, tags: currentTarget.value })}
        error={problems.tags}
      />
      <NativeSelect
        label={texts.schedule}
        value={draft.schedule}
        onChange={({ currentTarget }) =>
          onChange({ ...draft, schedule: currentTarget.value as ListDraft["schedule"] })
        }
        data={[
          { value: "", label: texts.never },
          ...LIST_SCHEDULES.map((value) => ({ value, label: texts.choices[value] })),
        ]}
      />
      {draft.schedule !== "" && (
        <WholeNumberInput
          label={texts.staleAfter}
          description={texts.staleHint}
          value={draft.staleAfterDays}
          onChange={(staleAfterDays) => onChange({ ...draft, staleAfterDays })}
          error={problems.stale_after_days}
        />
      )}
      {emails !== undefined && !isTestMode && <ScheduleCost draft={draft} emails={emails} />}
    </>
  );
}

function ScheduleCost({ draft: { schedule, staleAfterDays }, emails }: { draft: ListDraft; emails: number }) {
  const { data: account } = useQuery(accountQuery);
  if (schedule === "" || !isInRange(staleAfterDays) || !account) return null;
  const everyDays = recheckDays(schedule, Number(staleAfterDays));
  const { balance } = account.credits;
  return (
    <Text size="sm" role="status">
      {messages.form.cost({
        emails,
        everyDays,
        balance,
        daysLeft: Math.floor(balance / emails) * everyDays,
      })}
    </Text>
  );
}
