/**
 * Settings of the account: profile, language, password, two-factor sign-in, passkeys, sessions, notifications, data retention, export and
 * closing.
 */

import { Stack } from "@mantine/core";
import { PageHeader } from "../../components/page-header.tsx";
import { AccountData } from "./account-data.tsx";
import { DataRetention } from "./data-retention.tsx";
import { LanguageSection } from "./language-section.tsx";
import { messages } from "./messages.tsx";
import { NotificationSection } from "./notification-section.tsx";
import { PasskeyList } from "./passkey-list.tsx";
import { PasswordForm } from "./password-form.tsx";
import { Profile } from "./profile.tsx";
import { SessionList } from "./session-list.tsx";
import { TwoFactor } from "./two-factor.tsx";

export function Page() {
  return (
    <>
      <PageHeader title={messages.title}>{messages.intro}</PageHeader>
      <Stack gap="lg">
        <Profile />
        <LanguageSection />
        <PasswordForm />
        <TwoFactor />
        <PasskeyList />
        <SessionList />
        <NotificationSection />
        <DataRetention />
        <AccountData />
      </Stack>
    </>
  );
}
