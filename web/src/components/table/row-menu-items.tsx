/** The opened menu of a table row. */
import { Menu } from "@mantine/core";
import type { ReactElement } from "react";
import { OpeningMenu } from "../menu/opening-menu.tsx";

export type RowAction = { label: string; isDangerous?: boolean; isDisabled?: boolean; onClick: () => void };

export default function RowMenuItems({ button, actions }: RowMenuItemsProps) {
  return (
    <OpeningMenu button={button} width={180}>
      {actions.map(({ label, isDangerous, isDisabled = false, onClick }) => (
        <Menu.Item
          key={label}
          {...(isDangerous && { c: "var(--mv-red-ink)" })}
          disabled={isDisabled}
          onClick={onClick}
        >
          {label}
        </Menu.Item>
      ))}
    </OpeningMenu>
  );
}

type RowMenuItemsProps = { button: ReactElement; actions: readonly RowAction[] };
