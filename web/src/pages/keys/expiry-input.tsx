/** Input for the expiry date of a key. */

import { Group, NativeSelect, TextInput } from "@mantine/core";
import { keyTexts } from "./messages.tsx";

export type Expiry = {
  kind: Kind;
  /** Such as 2026-01-31; used when the kind is "date". */
  date: string;
};
type Kind = keyof typeof keyTexts.form.expiry;

/** Listed here because an object literal would put its numeric keys first. */
const KINDS: readonly Kind[] = ["never", "30", "90", "365", "date"];
const OPTIONS = KINDS.map((value) => ({ value, label: keyTexts.form.expiry[value] }));
const DAY_MS = 86_400_000;

export function ExpiryInput({ value, onChange, error }: ExpiryInputProps) {
  return (
    <Group align="flex-start" grow preventGrowOverflow={false}>
      <NativeSelect
        label={keyTexts.form.expires}
        data={OPTIONS}
        value={value.kind}
        onChange={({ currentTarget }) => onChange({ ...value, kind: currentTarget.value as Kind })}
        error={value.kind === "date" ? undefined : error}
      />
      {value.kind === "date" && (
        <TextInput
          type="date"
          label={keyTexts.form.lastDay}
          value={value.date}
          onChange={({ currentTarget }) => onChange({ ...value, date: currentTarget.value })}
          error={error}
        />
      )}
    </Group>
  );
}

type ExpiryInputProps = {
  value: Expiry;
  onChange: (expiry: Expiry) => void;
  error: string | undefined;
};

export function expiresAt({ kind, date }: Expiry, now = Date.now()): Date | undefined {
  if (kind === "never") return undefined;
  // The end of the day in the local time zone, not in UTC.
  return kind === "date" ? new Date(`${date}T23:59:59`) : new Date(now + Number(kind) * DAY_MS);
}

export function expiryProblem(expiry: Expiry, now = Date.now()): string | undefined {
  const at = expiresAt(expiry, now)?.getTime();
  if (at === undefined || at > now) return undefined;
  return Number.isNaN(at) ? keyTexts.form.dateMissing : keyTexts.form.datePast;
}
