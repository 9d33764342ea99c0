/** Layout of all pages behind sign-in: header with brand, credits and account menu; navigation. */
import { Anchor, Box, Burger, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { Activity, lazy, Suspense, useEffect } from "react";
import { useFocusReturn } from "../components/dialog/focus-return.ts";
import "../design/mantine-app.css";
import { common, shellMessages as messages } from "../messages.ts";
import { leaveApp, queries, sessionQuery } from "../queries.ts";
import { onSessionNews } from "../session-news.ts";
import { AccountMenu } from "./account-menu.tsx";
import classes from "./app-layout.module.css";
import { ConnectionBanner } from "./connection-banner.tsx";
import { CreditsBadge } from "./credits-badge.tsx";
import { NavLinks } from "./nav-links.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { TestModeNotice, TestModeSwitch } from "./test-mode.tsx";

const MAIN = "main";

const BrowserNotifications = lazy(async () => ({
  default: (await import("./browser-notifications.tsx")).BrowserNotifications,
}));

const SignIn = lazy(async () => ({ default: (await import("../pages/sign-in/sign-in-page.tsx")).Page }));

const isNotifying = () => typeof Notification !== "undefined" && Notification.permission === "granted";

export function Page() {
  const [isOpen, menu] = useDisclosure();
  const { data: session } = useQuery(sessionQuery);
  const { href } = useLocation();
  const accountId = session?.account.id;

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with the page where the session ended
  useEffect(() => {
    if (session === null) leaveApp(href);
  }, [session === null]);

  // Another tab signed out, or signed in to another account: this one must not show the data of the former.
  useEffect(
    () =>
      onSessionNews((news) => {
        if (news.kind === "signed-out") queries.setQueryData(sessionQuery.queryKey, null);
        else if (news.accountId !== accountId) window.location.reload();
      }),
    [accountId],
  );

  /** The page is still there, hidden. */
  const resume = (nextAccountId: string) => {
    if (nextAccountId === accountId) void queries.invalidateQueries();
    else window.location.reload();
  };

  /** Moves the focus into the page. On a phone the menu closes and its focused link disappears. */
  const focusMain = () => {
    menu.close();
    document.getElementById(MAIN)?.focus({ preventScroll: true });
  };

  return (
    <>
      {session?.isEnded && <SignInAgain onEnter={resume} />}
      <Activity mode={session?.isEnded ? "hidden" : "visible"}>
        <div className={classes.layout} data-menu={isOpen ? "open" : "closed"}>
          <a className="skip-link" href={`#${MAIN}`}>
            {messages.skipToContent}
          </a>
          <header className={classes.header}>
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
              {!session?.isEnded && <Shortcuts isOperator={session?.account.is_operator ?? false} />}
              <TestModeSwitch />
              <CreditsBadge />
              {session && <AccountMenu email={session.account.email} />}
            </Group>
          </header>
          <nav className={classes.nav} aria-label={messages.pages}>
            <NavLinks isOperator={session?.account.is_operator ?? false} onVisit={focusMain} />
          </nav>
          {session && isNotifying() && (
            <Suspense>
              <BrowserNotifications />
            </Suspense>
          )}
          <main id={MAIN} tabIndex={-1} className={classes.main}>
            <Box maw={1120} mx="auto">
              <ConnectionBanner />
              <TestModeNotice />
              <Outlet />
            </Box>
          </main>
        </div>
      </Activity>
    </>
  );
}

function SignInAgain({ onEnter }: { onEnter: (accountId: string) => void }) {
  useFocusReturn();
  return (
    <Suspense>
      <SignIn onEnter={onEnter} />
    </Suspense>
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
