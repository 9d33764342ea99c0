/** Actions of a table row, behind a button at its end. */
import { ActionIcon } from "@mantine/core";
import { lazy } from "react";
import { common } from "../../messages.ts";
import { Icon } from "../icon.tsx";
import { LazyMenu } from "../menu/lazy-menu.tsx";
import type { RowAction } from "./row-menu-items.tsx";

const load = () => import("./row-menu-items.tsx");
const RowMenuItems = lazy(load);

export function RowMenu({ name, actions }: { name: string; actions: readonly RowAction[] }) {
  return (
    <LazyMenu
      button={
        <ActionIcon variant="subtle" color="gray" size={30} aria-label={common.actionsOf(name)}>
          <Icon path={DOTS} size={18} strokeWidth={2.2} />
        </ActionIcon>
      }
      preload={() => void load()}
    >
      {(button) => <RowMenuItems button={button} actions={actions} />}
    </LazyMenu>
  );
}

const DOTS = "M4.5 10h.01M10 10h.01M15.5 10h.01";
