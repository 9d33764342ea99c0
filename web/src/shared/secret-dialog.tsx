/** A secret that is shown this once: it goes away only when its owner says so. */
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { CopyableCode } from "./copyable-code.tsx";
import { useFocusReturn } from "./focus-return.ts";

export function SecretDialog({ title, secret, label, children, more, onKept }: SecretDialogProps) {
  useFocusReturn();
  useWarningBeforeLeaving();
  return (
    <Modal
      opened
      onClose={onKept}
      title={title}
      size="lg"
      centered
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack>
        <Text size="sm">{children}</Text>
        <CopyableCode text={secret} label={label} />
        {more}
        <Group justify="flex-end">
          <Button onClick={onKept}>I have kept it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

type SecretDialogProps = {
  title: string;
  secret: string;
  /** What it is, for the copy button: "the key". */
  label: string;
  /** What it is for, and that it cannot be shown again. */
  children: ReactNode;
  /** Below the secret, such as how to use it. */
  more?: ReactNode;
  onKept: () => void;
};

function useWarningBeforeLeaving(): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
}
