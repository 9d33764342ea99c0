/** A dialog with a form in it: fill it in and go on, or leave it. What was declined beside no field stands above the buttons. */
import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { CheckedForm } from "./checked-form.tsx";
import { FailureNote } from "./failure-note.tsx";
import { useFocusReturn } from "./focus-return.ts";
import { fieldProblems } from "./problem-text.ts";

export function FormDialog({ title, doIt, isBusy, error, onSubmit, onClose, children }: FormDialogProps) {
  useFocusReturn();
  const isBesideFields = Object.keys(fieldProblems(error)).length > 0;
  return (
    <Modal opened onClose={onClose} title={title} size="lg" centered>
      <CheckedForm onSubmit={onSubmit}>
        <Stack gap="md">
          {children}
          {error && !isBesideFields ? <FailureNote error={error} /> : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              {doIt}
            </Button>
          </Group>
        </Stack>
      </CheckedForm>
    </Modal>
  );
}

type FormDialogProps = {
  title: string;
  /** What the button says, such as "Make the key". */
  doIt: string;
  isBusy: boolean;
  error: unknown;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
};
