/** Links of the navigation. */
import { NavLink, Text } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { common, shellMessages as messages } from "../messages.ts";
import { NavIcon } from "./nav-icon.tsx";

export const PAGES = [
  ["/", "overview"],
  ["/validate", "validate"],
  ["/bulk", "bulk"],
  ["/lists", "lists"],
  ["/keys", "keys"],
  ["/webhooks", "webhooks"],
  ["/usage", "usage"],
  ["/audit", "audit"],
  ["/settings", "settings"],
] as const;

export const OPERATOR_PAGES = [
  ["/operator/accounts", "accounts"],
  ["/operator/jobs", "jobs"],
  ["/operator/keys", "operatorKeys"],
  ["/operator/audit", "operatorAudit"],
  ["/operator/system", "system"],
] as const;

export function NavLinks({ isOperator, onVisit }: { isOperator: boolean; onVisit: () => void }) {
  const { pathname } = useLocation();
  const isCurrent = (path: string) => (path === "/" ? pathname === "/" : pathname.startsWith(path));
  const links = (pages: typeof PAGES | typeof OPERATOR_PAGES) =>
    pages.map(([path, name]) => (
      <NavLink
        key={path}
        component={Link}
        to={path}
        onClick={onVisit}
        label={messages.nav[name]}
        leftSection={<NavIcon name={name} />}
        active={isCurrent(path)}
        aria-current={isCurrent(path) ? "page" : undefined}
      />
    ));
  return (
    <>
      {links(PAGES)}
      <NavLink
        component="a"
        href="/guide"
        label={messages.nav.guide}
        leftSection={<NavIcon name="guide" />}
      />
      <NavLink
        component="a"
        href="/docs"
        label={messages.nav.reference}
        leftSection={<NavIcon name="reference" />}
      />
      {isOperator && (
        <>
          <Text size="xs" fw={500} c="dimmed" mt="md" mb={4} px="sm">
            {common.operator}
          </Text>
          {links(OPERATOR_PAGES)}
        </>
      )}
    </>
  );
}
