/** The account's own matters: who it is, its password, where it is signed in, what is kept of its data. */
import { Stack } from "@mantine/core";
import { PageTitle } from "../../parts/page-title.tsx";
import { DataKept } from "./data-kept.tsx";
import { PasswordForm } from "./password-form.tsx";
import { Profile } from "./profile.tsx";
import { SessionList } from "./session-list.tsx";

export function Page() {
  return (
    <>
      <PageTitle title="Settings">Your account, where it is signed in, and what we keep.</PageTitle>
      <Stack gap="lg">
        <Profile />
        <PasswordForm />
        <SessionList />
        <DataKept />
      </Stack>
    </>
  );
}
