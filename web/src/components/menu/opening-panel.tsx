/** A panel below its button that opens when it is mounted, in place of the button that asked for it. See lazy-menu.tsx. */
import "@mantine/core/styles/Popover.layer.css";
import { Popover } from "@mantine/core";
import { cloneElement, type ReactElement, type ReactNode } from "react";
import { useOpening } from "./use-opening.ts";

export function OpeningPanel({ button, label, width, children }: OpeningPanelProps) {
  const { target, isOpen, setIsOpen } = useOpening(button);
  return (
    <Popover
      position="bottom-end"
      withArrow
      trapFocus
      returnFocus
      width={width}
      opened={isOpen}
      onChange={setIsOpen}
    >
      <Popover.Target>
        {cloneElement(target as ReactElement<{ onClick: () => void }>, { onClick: () => setIsOpen(!isOpen) })}
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>{children}</Popover.Dropdown>
    </Popover>
  );
}

type OpeningPanelProps = { button: ReactElement; label: string; width: number; children: ReactNode };
