/** State of an account as a badge, and as options of the filter. */

import type { AccountState } from "@mailvet/contract";
import { Badge } from "@mantine/core";
import { messages } from "./messages.tsx";

const COLORS: Readonly<Record<AccountState, string>> = {
  active: "gray",
  invited: "brand",
  unconfirmed: "gray",
  suspended: "red",
  erasing: "red",
};

export function AccountStateBadge({ state }: { state: AccountState }) {
  return (
    <Badge variant="dot" component="span" color={COLORS[state]}>
      {messages.states[state]}
    </Badge>
  );
}

export const STATE_OPTIONS = (Object.keys(COLORS) as AccountState[]).map((value) => ({
  value,
  label: messages.states[value],
}));

export function isAccountState(text: string | undefined): text is AccountState {
  return text !== undefined && Object.hasOwn(COLORS, text);
}
