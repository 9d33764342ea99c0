/** Button of the account menu. */
import { Avatar, UnstyledButton } from "@mantine/core";
import { lazy } from "react";
import { LazyMenu } from "../components/menu/lazy-menu.tsx";
import { shellMessages as messages } from "../messages.ts";

const load = () => import("./account-menu-items.tsx");
const AccountMenuItems = lazy(load);

export function AccountMenu({ email }: { email: string }) {
  return (
    <LazyMenu
      button={
        <UnstyledButton style={{ borderRadius: "50%" }} aria-label={messages.accountMenu(email)}>
          <Avatar size={34} color="brand" radius="xl">
            {email.slice(0, 1).toUpperCase()}
          </Avatar>
        </UnstyledButton>
      }
      preload={() => void load()}
    >
      {(button) => <AccountMenuItems button={button} email={email} />}
    </LazyMenu>
  );
}
