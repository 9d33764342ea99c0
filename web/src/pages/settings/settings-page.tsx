/** The account's own matters: who it is, its password, where it is signed in, what is kept of its data. */
import { Stack } from "@mantine/core";
import { PageHeader } from "../../shared/page-header.tsx";
import { DataRetention } from "./data-retention.tsx";
import { PasswordForm } from "./password-form.tsx";
import { Profile } from "./profile.tsx";
import { SessionList } from "./session-list.tsx";

export function Page() {
  return (
    <>
      <PageHeader title="Settings">Your account, where it is signed in, and what we keep.</PageHeader>
      <Stack gap="lg">
        <Profile />
        <PasswordForm />
        <SessionList />
        <DataRetention />
      </Stack>
    </>
  );
}
