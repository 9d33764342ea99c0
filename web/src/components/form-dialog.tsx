/** A dialog with a form. Errors that belong to no field are shown above the buttons. */
import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { common } from "../messages.ts";
import { ErrorAlert } from "./error-alert.tsx";
import { useFocusReturn } from "./focus-return.ts";
import { fieldProblems } from "./problem-text.ts";
import { ValidatedForm } from "./validated-form.tsx";

export function FormDialog({
  title,
  submitLabel,
  isBusy,
  error,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  useFocusReturn();
  const hasFieldErrors = Object.keys(fieldProblems(error)).length > 0;
  return (
    <Modal opened onClose={onClose} title={title} size="lg" centered>
      <ValidatedForm onSubmit={onSubmit}>
        <Stack gap="md">
          {children}
          {error && !hasFieldErrors ? <ErrorAlert error={error} /> : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </ValidatedForm>
    </Modal>
  );
}

type FormDialogProps = {
  title: string;
  submitLabel: string;
  isBusy: boolean;
  error: unknown;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
};
