/** Shows a signing secret once, and how to verify signatures with it. */

import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyableCode } from "../../components/copyable-code.tsx";
import { SecretDialog } from "../../components/dialog/secret-dialog.tsx";
import { messages } from "./messages.tsx";

export function WebhookSecret({ title, secret, children, onDone }: WebhookSecretProps) {
  return (
    <SecretDialog
      title={title}
      secret={secret}
      label={messages.secret.label}
      more={<HowToVerify />}
      onDone={onDone}
    >
      {children}
    </SecretDialog>
  );
}

type WebhookSecretProps = { title: string; secret: string; children: ReactNode; onDone: () => void };

export function HowToVerify() {
  return (
    <Stack gap="xs">
      <Text size="sm">{messages.secret.verify(<code>{INSTALL}</code>)}</Text>
      <CopyableCode text={VERIFY} label={messages.secret.example} />
    </Stack>
  );
}

const INSTALL = "npm install standardwebhooks";
const VERIFY = `import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.MAILVET_WEBHOOK_SECRET);

// ${messages.secret.exampleComment}
const { type, data } = webhook.verify(body, headers);`;
