/** Layout of all pages behind sign-in: header with brand, credits and account menu; navigation. */
import { Anchor, AppShell, Box, Burger, Group, ScrollArea, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import "../design/mantine-app.css";
import { common, shellMessages as messages } from "../messages.ts";
import { sessionQuery, suspension } from "../queries.ts";
import { AccountMenu } from "./account-menu.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { CreditsBadge } from "./credits-badge.tsx";
import { NavLinks } from "./nav-links.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { TestModeNotice, TestModeSwitch } from "./test-mode.tsx";

const MAIN = "main";

export function AppLayout() {
  const [isOpen, menu] = useDisclosure();
  const { data: session } = useQuery(sessionQuery);
  const { href, pathname } = useLocation();
  const navigate = useNavigate();
  const isSignedOut = session === null && pathname !== "/sign-in" && pathname !== "/suspended";

  // biome-ignore lint/correctness/useExhaustiveDependencies: redirect once, with the page where the session ended
  useEffect(() => {
    if (isSignedOut && suspension() !== undefined) void navigate({ to: "/suspended" });
    else if (isSignedOut) void navigate({ to: "/sign-in", search: { next: href } });
  }, [isSignedOut]);

  /** Moves the focus into the page. On a phone the menu closes and its focused link disappears. */
  const focusMain = () => {
    menu.close();
    document.getElementById(MAIN)?.focus({ preventScroll: true });
  };

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={{ base: "md", md: "xl" }}
    >
      <a className="skip-link" href={`#${MAIN}`}>
        {messages.skipToContent}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? messages.closeMenu : messages.openMenu}
              aria-expanded={isOpen}
            />
            <Brand />
          </Group>
          <Group gap="sm" wrap="nowrap">
            <Shortcuts isOperator={session?.account.is_operator ?? false} />
            <TestModeSwitch />
            <CreditsBadge />
            {session && <AccountMenu email={session.account.email} />}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={messages.pages}>
        <ScrollArea>
          <NavLinks isOperator={session?.account.is_operator ?? false} onVisit={focusMain} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id={MAIN} tabIndex={-1} className="ground">
        <Box maw={1120} mx="auto">
          <ConnectionBanner />
          <TestModeNotice />
          <Outlet />
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}

function Brand() {
  return (
    <Anchor component={Link} to="/" underline="never" c="inherit" aria-label={messages.home}>
      <Group gap={8} wrap="nowrap">
        <img src="/favicon.svg" alt="" width={28} height={28} />
        <Text fw={600} size="lg">
          {common.app}
        </Text>
      </Group>
    </Anchor>
  );
}
