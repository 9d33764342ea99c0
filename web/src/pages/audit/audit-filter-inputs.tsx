/** Filters of the audit log. They are kept in the URL. */

import { Group, NativeSelect, TextInput } from "@mantine/core";
import { ACCOUNT_ID, type AuditScope } from "./audit-queries.ts";
import { messages } from "./messages.tsx";

type Search = Record<string, string | undefined>;

const ACTIONS = [
  { value: "", label: messages.filters.every },
  ...Object.entries(messages.actions).map(([value, label]) => ({ value, label })),
];

export function AuditFilterInputs({ scope, search, onChange }: AuditFilterInputsProps) {
  const set = (name: string, value: string) => {
    const { [name]: _, ...others } = search;
    onChange(value === "" ? others : { ...others, [name]: value });
  };
  const { action = "", from = "", to = "", account = "" } = search;
  return (
    <Group gap="sm" align="flex-start" role="group" aria-label={messages.filters.title}>
      <NativeSelect
        label={messages.filters.action}
        data={ACTIONS}
        value={action in messages.actions ? action : ""}
        onChange={({ currentTarget }) => set("action", currentTarget.value)}
      />
      {(["from", "to"] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={messages.filters[name]}
          value={name === "from" ? from : to}
          onChange={({ currentTarget }) => set(name, currentTarget.value)}
        />
      ))}
      {scope === "installation" && (
        <TextInput
          label={messages.filters.account}
          value={account}
          onChange={({ currentTarget }) => set("account", currentTarget.value.trim())}
          error={account === "" || ACCOUNT_ID.test(account) ? undefined : messages.filters.accountInvalid}
          style={{ flex: "1 1 220px", maxWidth: 340 }}
        />
      )}
    </Group>
  );
}

type AuditFilterInputsProps = { scope: AuditScope; search: Search; onChange: (search: Search) => void };
