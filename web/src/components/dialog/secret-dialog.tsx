/** Shows a new secret once. Closes only with its button, and warns before the page is left. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { common } from "../../messages.ts";
import { CopyableCode } from "../copyable-code.tsx";
import { Dialog } from "./dialog.tsx";

export function SecretDialog({ title, secret, label, children, more, onDone }: SecretDialogProps) {
  useWarningBeforeLeaving();
  return (
    <Dialog
      onClose={onDone}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack>
        <Text size="sm">{children}</Text>
        <CopyableCode text={secret} label={label} />
        {more}
        <Group justify="flex-end">
          <Button onClick={onDone}>{common.done}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

type SecretDialogProps = {
  title: string;
  secret: string;
  /** Label of the copy button: "key" reads "Copy key". */
  label: string;

  children: ReactNode;
  /** Below the secret, such as example code. */
  more?: ReactNode;
  onDone: () => void;
};

function useWarningBeforeLeaving(): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
}
