/** A block of code or a secret with a copy button. */
import { ActionIcon, Code, CopyButton, Group, VisuallyHidden } from "@mantine/core";
import { common } from "../messages.ts";
import { Icon } from "./icon.tsx";

export function CopyableCode({ text, label }: { text: string; label: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code block className="breaks" style={{ flex: 1, whiteSpace: "pre-wrap" }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <>
            <ActionIcon
              variant="default"
              size="lg"
              onClick={copy}
              title={copied ? common.copied : common.copy}
              aria-label={copied ? common.copied : common.copyOf(label)}
            >
              <Icon path={copied ? CHECK : COPY} size={18} grid={18} />
            </ActionIcon>
            {/* Screen readers do not announce a changed button label. */}
            <VisuallyHidden aria-live="polite">{copied && common.copied}</VisuallyHidden>
          </>
        )}
      </CopyButton>
    </Group>
  );
}

const CHECK = "m4 9.5 3.5 3.5L14 5.5";
const COPY =
  "M7.5 6h6A1.5 1.5 0 0 1 15 7.5v6a1.5 1.5 0 0 1-1.5 1.5h-6A1.5 1.5 0 0 1 6 13.5v-6A1.5 1.5 0 0 1 7.5 6zM12 6V4.5A1.5 1.5 0 0 0 10.5 3h-6A1.5 1.5 0 0 0 3 4.5v6A1.5 1.5 0 0 0 4.5 12H6";
