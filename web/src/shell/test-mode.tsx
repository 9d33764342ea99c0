/** Test mode in the layout: the switch in the header, and the notice above every page. */
import { Anchor, Paper, Switch, Text } from "@mantine/core";
import { shellMessages } from "../messages.ts";
import { isTestMode, switchMode } from "../mode.ts";

const { testMode: messages } = shellMessages;

export function TestModeSwitch() {
  return (
    <Switch
      visibleFrom="sm"
      size="sm"
      color="violet"
      labelPosition="left"
      label={messages.name}
      checked={isTestMode}
      onChange={() => switchMode(isTestMode ? "live" : "test")}
    />
  );
}

export function TestModeNotice() {
  if (!isTestMode) return null;
  return (
    <Paper component="aside" aria-label={messages.name} className="test-mode" px="md" py="xs" mb="lg">
      <Text span size="sm">
        <b>{messages.name}.</b> {messages.explanation}{" "}
        <Anchor component="button" type="button" size="sm" inherit onClick={() => switchMode("live")}>
          {messages.leave}
        </Anchor>
      </Text>
    </Paper>
  );
}
