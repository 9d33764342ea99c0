/** Link between the auth pages that keeps the `next` parameter. */
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
