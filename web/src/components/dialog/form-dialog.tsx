/** A dialog with a form. Errors that belong to no field are shown above the buttons. */
import { Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { common } from "../../messages.ts";
import { ErrorAlert } from "../error-alert.tsx";
import { fieldProblems } from "../problem-text.ts";
import { ValidatedForm } from "../validated-form.tsx";
import { Dialog } from "./dialog.tsx";

export function FormDialog({
  title,
  submitLabel,
  isBusy,
  error,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const hasFieldErrors = Object.keys(fieldProblems(error)).length > 0;
  return (
    <Dialog onClose={onClose} title={title} size="lg">
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
    </Dialog>
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
