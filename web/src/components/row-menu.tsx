/** Actions of a table row, behind a button at its end. */
import { ActionIcon, Menu } from "@mantine/core";
import { common } from "../messages.ts";
import { Icon } from "./icon.tsx";

export type RowAction = { label: string; isDangerous?: boolean; isDisabled?: boolean; onClick: () => void };

export function RowMenu({ name, actions }: { name: string; actions: readonly RowAction[] }) {
  return (
    <Menu position="bottom-end" withinPortal width={180}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={30} aria-label={common.actionsOf(name)}>
          <Icon path={DOTS} size={18} strokeWidth={2.2} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, isDangerous, isDisabled = false, onClick }) => (
          <Menu.Item
            key={label}
            {...(isDangerous && { color: "red" })}
            disabled={isDisabled}
            onClick={onClick}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const DOTS = "M4.5 10h.01M10 10h.01M15.5 10h.01";
