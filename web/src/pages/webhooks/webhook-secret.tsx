/** The secret that messages are signed with, shown this once, and how a receiver checks them. */
import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyableCode } from "../../shared/copyable-code.tsx";
import { SecretDialog } from "../../shared/secret-dialog.tsx";

export function WebhookSecret({ title, secret, children, onDone }: WebhookSecretProps) {
  return (
    <SecretDialog title={title} secret={secret} label="the secret" more={<HowToVerify />} onDone={onDone}>
      {children}
    </SecretDialog>
  );
}

type WebhookSecretProps = { title: string; secret: string; children: ReactNode; onDone: () => void };

export function HowToVerify() {
  return (
    <Stack gap="xs">
      <Text size="sm">
        Messages follow Standard Webhooks. With its library (<code>npm install standardwebhooks</code>) a
        receiver tells ours from anybody else's:
      </Text>
      <CopyableCode text={VERIFY} label="the example" />
    </Stack>
  );
}

const VERIFY = `import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.MAILVET_WEBHOOK_SECRET);

// body: the text of the request, exactly as it came. Throws unless it is ours and recent.
const { type, data } = webhook.verify(body, headers);`;
