/** Link between the auth pages that keeps the `next` parameter. */
import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { searchOf } from "./session.ts";

export function AuthLink({ to, children }: { to: AuthPath; children: ReactNode }) {
  const { next } = searchOf();
  return (
    <Anchor inherit underline="always" href={next ? `${to}?${new URLSearchParams({ next })}` : to}>
      {children}
    </Anchor>
  );
}

type AuthPath = "/sign-in" | "/sign-up" | "/forgotten-password";
