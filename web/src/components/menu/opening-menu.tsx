/** A menu that opens when it is mounted, in place of the button that asked for it. See lazy-menu.tsx. */
import "@mantine/core/styles/Popover.layer.css";
import "@mantine/core/styles/Menu.layer.css";
import { Menu, type MenuProps } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";
import { useOpening } from "./use-opening.ts";

export function OpeningMenu({ button, children, ...props }: OpeningMenuProps) {
  const { target, isOpen, setIsOpen } = useOpening(button);
  return (
    <Menu
      position="bottom-end"
      opened={isOpen}
      onChange={setIsOpen}
      withInitialFocusPlaceholder={false} // its role is not allowed in a menu
      {...props}
    >
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

type OpeningMenuProps = Omit<MenuProps, "children" | "opened" | "onChange"> & {
  button: ReactElement;
  children: ReactNode;
};
