/** Around every page of somebody signed in: where to go, what credits are left, who one is. */
import { AppShell, Box, Burger, Group, ScrollArea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { sessionQuery } from "../queries.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { CreditsBadge } from "./credits-badge.tsx";
import { NavLinks } from "./nav-links.tsx";

const MAIN = "main";

export function AppLayout() {
  const [isOpen, menu] = useDisclosure();
  const { data: session } = useQuery(sessionQuery);
  const { href, pathname } = useLocation();
  const navigate = useNavigate();
  const isOver = session === null && pathname !== "/sign-in";

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, from where it ended
  useEffect(() => {
    if (isOver) void navigate({ to: "/sign-in", search: { next: href } });
  }, [isOver]);

  /** From the menu the keyboard goes on in the page. On a phone the menu closes, and what had the focus is gone. */
  const goOn = () => {
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
        Skip to the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? "Close the menu" : "Open the menu"}
              aria-expanded={isOpen}
            />
            <Brand />
          </Group>
          <Group gap="sm" wrap="nowrap">
            <CreditsBadge />
            {session && <AccountMenu email={session.account.email} />}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <ScrollArea>
          <NavLinks isOperator={session?.account.is_operator ?? false} onVisit={goOn} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id={MAIN} tabIndex={-1} className="ground">
        <Box maw={1120} mx="auto">
          <Outlet />
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}
