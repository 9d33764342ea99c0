/** A question before something that cannot be undone. */
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { ErrorAlert } from "./error-alert.tsx";
import { useFocusReturn } from "./focus-return.ts";

export function ConfirmDialog({
  isOpen,
  title,
  children,
  doIt,
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
            Leave it
          </Button>
          <Button color="red" loading={isBusy} onClick={onConfirm}>
            {doIt}
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
  /** What the button says, such as "Delete the job". */
  doIt: string;
  isBusy: boolean;
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
};
