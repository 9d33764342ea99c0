/** Asks for confirmation before an action that cannot be undone. */
import { Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { common } from "../../messages.ts";
import { ErrorAlert } from "../error-alert.tsx";
import { Dialog } from "./dialog.tsx";

export function ConfirmDialog({
  isOpen,
  title,
  children,
  confirmLabel,
  cancelLabel = common.cancel,
  isBusy,
  error,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  if (!isOpen) return null;
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack>
        <Text size="sm">{children}</Text>
        {error ? <ErrorAlert error={error} /> : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {cancelLabel}
          </Button>
          <Button color="red" loading={isBusy} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

type ConfirmDialogProps = {
  isOpen: boolean;
  title: string;
  children: ReactNode;
  confirmLabel: string;
  /** Needed where "Cancel" would be ambiguous. */
  cancelLabel?: string;
  isBusy: boolean;
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
};
