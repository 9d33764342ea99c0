/** Changes the password. */

import "@mantine/core/styles/Checkbox.layer.css";
import { Alert, Button, Checkbox, Group, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PasswordInput } from "../../components/password-input.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { Section } from "../../components/section.tsx";
import { ValidatedForm } from "../../components/validated-form.tsx";
import { common } from "../../messages.ts";
import { queries, service, sessionQuery } from "../../queries.ts";
import { AuthError, isProblem } from "../sign-in/auth-error.tsx";
import { messages as signInMessages } from "../sign-in/messages.tsx";
import { NewPasswordInput, newPasswordProblem } from "../sign-in/new-password-input.tsx";
import { messages } from "./messages.tsx";

export function PasswordForm() {
  const { data: session } = useQuery(sessionQuery);
  const [currentPassword, setCurrent] = useState("");
  const [newPassword, setNew] = useState("");
  const [revokeKeys, setRevokeKeys] = useState(false);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const change = useMutation({
    mutationFn: () => service.auth.changePassword({ currentPassword, newPassword, revokeKeys }),
    async onSuccess() {
      setCurrent("");
      setNew("");
      setRevokeKeys(false);
      setIsSubmitted(false);
      await queries.invalidateQueries(); // sessions, and keys that were revoked
    },
  });
  const submit = () => {
    setIsSubmitted(true);
    if (currentPassword !== "" && newPasswordProblem(newPassword) === undefined) change.mutate();
  };
  const problems = fieldProblems(change.error);
  const isWrong = isProblem(change.error, "wrong_credentials");
  return (
    <Section title={messages.password.title} intro={messages.password.intro}>
      <ValidatedForm onSubmit={submit}>
        {/* Tells password managers which account the password belongs to. */}
        <input
          type="hidden"
          name="username"
          autoComplete="username"
          value={session?.account.email ?? ""}
          readOnly
        />
        <Stack gap="md" maw={420}>
          {change.isSuccess && !isSubmitted && (
            <Alert color="green" role="status" title={messages.password.changed}>
              {messages.password.changedText}
            </Alert>
          )}
          <AuthError error={change.error} fieldCodes={["wrong_credentials"]} />
          <PasswordInput
            label={messages.password.current}
            autoComplete="current-password"
            value={currentPassword}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
            error={
              isSubmitted && currentPassword === ""
                ? common.required
                : (problems.current_password ?? (isWrong ? messages.password.wrong : undefined))
            }
            visibilityToggleButtonProps={{ "aria-label": messages.password.currentToggle, tabIndex: 0 }}
          />
          <NewPasswordInput
            label={messages.password.new}
            value={newPassword}
            onChange={({ currentTarget }) => setNew(currentTarget.value)}
            error={problems.new_password ?? (isSubmitted ? newPasswordProblem(newPassword) : undefined)}
          />
          <Checkbox
            label={signInMessages.revokeKeys}
            checked={revokeKeys}
            onChange={({ currentTarget }) => setRevokeKeys(currentTarget.checked)}
          />
          <Group>
            <Button type="submit" loading={change.isPending}>
              {messages.password.submit}
            </Button>
          </Group>
        </Stack>
      </ValidatedForm>
    </Section>
  );
}
