/** From one of these pages to another, not forgetting where one wanted to go. */
import { Anchor } from "@mantine/core";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

export function AuthLink({ to, children }: { to: AuthPath; children: ReactNode }) {
  const { next } = useSearch({ strict: false });
  return (
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => <Link {...props} to={to} search={next ? { next } : {}} />}
    >
      {children}
    </Anchor>
  );
}

type AuthPath = "/sign-in" | "/sign-up" | "/forgotten-password";
