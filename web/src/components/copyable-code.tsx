/** A block of code or a secret with a copy button. */
import { ActionIcon, Code, CopyButton, Group, Tooltip, VisuallyHidden } from "@mantine/core";
import { common } from "../messages.ts";

export function CopyableCode({ text, label }: { text: string; label: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code block className="breaks" style={{ flex: 1, whiteSpace: "pre-wrap" }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <>
            <Tooltip label={copied ? common.copied : common.copy}>
              <ActionIcon
                variant="default"
                size="lg"
                onClick={copy}
                aria-label={copied ? common.copied : common.copyOf(label)}
              >
                {copied ? <CheckIcon /> : <CopyIcon />}
              </ActionIcon>
            </Tooltip>
            {/* Screen readers do not announce a changed button label. */}
            <VisuallyHidden aria-live="polite">{copied && common.copied}</VisuallyHidden>
          </>
        )}
      </CopyButton>
    </Group>
  );
}

function CopyIcon() {
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 18 18"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      aria-hidden="true"
    >
      <rect x="6" y="6" width="9" height="9" rx="1.5" />
      <path d="M12 6V4.500A1.500 1.500 0 0 0 10.500 3h-6A1.500 1.500 0 0 0 3 4.500v6A1.500 1.500 0 0 0 4.500 12H6" />
    </svg>
  );
}

function CheckIcon() {
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 18 18"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      aria-hidden="true"
    >
      <path d="m4 9.500 3.500 3.500L14 5.500" />
    </svg>
  );
}
