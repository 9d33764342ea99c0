/** A dialog with a form in it: fill it in and go on, or leave it. What was declined beside no field stands above the buttons. */
import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { ErrorAlert } from "./error-alert.tsx";
import { useFocusReturn } from "./focus-return.ts";
import { fieldProblems } from "./problem-text.ts";
import { ValidatedForm } from "./validated-form.tsx";

export function FormDialog({ title, doIt, isBusy, error, onSubmit, onClose, children }: FormDialogProps) {
  useFocusReturn();
  const isBesideFields = Object.keys(fieldProblems(error)).length > 0;
  return (
    <Modal opened onClose={onClose} title={title} size="lg" centered>
      <ValidatedForm onSubmit={onSubmit}>
        <Stack gap="md">
          {children}
          {error && !isBesideFields ? <ErrorAlert error={error} /> : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              {doIt}
            </Button>
          </Group>
        </Stack>
      </ValidatedForm>
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
