/** The pages there are. */
import { NavLink, Text } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { NavIcon } from "./nav-icon.tsx";

const PAGES = [
  ["/", "Overview", "overview"],
  ["/validate", "Validate", "validate"],
  ["/bulk", "Bulk", "bulk"],
  ["/keys", "API keys", "keys"],
  ["/webhooks", "Webhooks", "webhooks"],
  ["/usage", "Usage and credits", "usage"],
  ["/settings", "Settings", "settings"],
] as const;

const OPERATOR_PAGES = [
  ["/operator/accounts", "Accounts", "accounts"],
  ["/operator/system", "System", "system"],
] as const;

export function NavLinks({ isOperator, onVisit }: { isOperator: boolean; onVisit: () => void }) {
  const { pathname } = useLocation();
  const isHere = (path: string) => (path === "/" ? pathname === "/" : pathname.startsWith(path));
  const links = (pages: typeof PAGES | typeof OPERATOR_PAGES) =>
    pages.map(([path, name, icon]) => (
      <NavLink
        key={path}
        component={Link}
        to={path}
        onClick={onVisit}
        label={name}
        leftSection={<NavIcon name={icon} />}
        active={isHere(path)}
        aria-current={isHere(path) ? "page" : undefined}
      />
    ));
  return (
    <>
      {links(PAGES)}
      <NavLink component="a" href="/docs" label="API reference" leftSection={<NavIcon name="reference" />} />
      {isOperator && (
        <>
          <Text size="xs" fw={600} c="dimmed" mt="md" mb={4} px="sm">
            Operator
          </Text>
          {links(OPERATOR_PAGES)}
        </>
      )}
    </>
  );
}
