/** Asks for confirmation before an action that cannot be undone. */
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { common } from "../messages.ts";
import { ErrorAlert } from "./error-alert.tsx";
import { useFocusReturn } from "./focus-return.ts";

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
  useFocusReturn(isOpen);
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} centered>
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
    </Modal>
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
