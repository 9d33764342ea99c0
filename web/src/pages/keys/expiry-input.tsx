/** When a key stops working. */
import { Group, NativeSelect, TextInput } from "@mantine/core";

export type Expiry = { kind: Kind /** As 2026-01-31; counts when the kind is a date. */; date: string };
type Kind = keyof typeof KINDS;

const KINDS = {
  never: "Never",
  "30": "In 30 days",
  "90": "In 90 days",
  "365": "In a year",
  date: "On a day of your choice",
} as const;

const OPTIONS = Object.entries(KINDS).map(([value, label]) => ({ value, label }));
const DAY_MS = 86_400_000;

export function ExpiryInput({ value, onChange, error }: ExpiryInputProps) {
  return (
    <Group align="flex-start" grow preventGrowOverflow={false}>
      <NativeSelect
        label="Expires"
        data={OPTIONS}
        value={value.kind}
        onChange={({ currentTarget }) => onChange({ ...value, kind: currentTarget.value as Kind })}
        error={value.kind === "date" ? undefined : error}
      />
      {value.kind === "date" && (
        <TextInput
          type="date"
          label="Last day"
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
  // The day is over when it is over here, not in Greenwich.
  return kind === "date" ? new Date(`${date}T23:59:59`) : new Date(now + Number(kind) * DAY_MS);
}

export function expiryProblem(expiry: Expiry, now = Date.now()): string | undefined {
  const at = expiresAt(expiry, now)?.getTime();
  if (at === undefined || at > now) return undefined;
  return Number.isNaN(at) ? "Please choose a day." : "This day is over already.";
}
