/** A menu that opens when it is mounted, in place of the button that asked for it. See lazy-menu.tsx. */
import { Menu, type MenuProps } from "@mantine/core";
import { cloneElement, type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";

export function OpeningMenu({ button, children, ...props }: OpeningMenuProps) {
  const target = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    target.current?.focus(); // the focus was on the button that this one replaces
    setIsOpen(true);
  }, []);
  return (
    <Menu
      position="bottom-end"
      opened={isOpen}
      onChange={setIsOpen}
      withInitialFocusPlaceholder={false} // its role is not allowed in a menu
      {...props}
    >
      <Menu.Target>{cloneElement(button as ReactElement<{ ref?: unknown }>, { ref: target })}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

type OpeningMenuProps = Omit<MenuProps, "children" | "opened" | "onChange"> & {
  button: ReactElement;
  children: ReactNode;
};
