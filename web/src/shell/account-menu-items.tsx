/** The opened account menu: settings, theme, sign-out. */
import { type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { OpeningMenu } from "../components/menu/opening-menu.tsx";
import { shellMessages as messages } from "../messages.ts";
import { isTestMode, switchMode } from "../mode.ts";
import { leaveAfterSignOut, service } from "../queries.ts";

export default function AccountMenuItems({ button, email }: { button: ReactElement; email: string }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useMutation({ mutationFn: () => service.auth.signOut(), onSuccess: leaveAfterSignOut });
  return (
    <OpeningMenu button={button} width={240}>
      <Menu.Label className="breaks">{email}</Menu.Label>
      <Menu.Item component={Link} to="/settings">
        {messages.nav.settings}
      </Menu.Item>
      <Menu.Item onClick={() => switchMode(isTestMode ? "live" : "test")}>
        {isTestMode ? messages.testMode.leave : messages.testMode.enter}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Label>{messages.theme}</Menu.Label>
      <Menu.RadioGroup
        value={colorScheme}
        onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
      >
        {Object.entries(messages.themes).map(([scheme, name]) => (
          <Menu.RadioItem key={scheme} value={scheme}>
            {name}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
      <Menu.Item onClick={() => signOut.mutate()}>{messages.signOut}</Menu.Item>
    </OpeningMenu>
  );
}
