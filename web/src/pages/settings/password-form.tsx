/** A new password, by somebody who knows the current one. */
import { Alert, Button, Group, PasswordInput, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, service, sessionQuery } from "../../queries.ts";
import { fieldProblems } from "../../shared/problem-text.ts";
import { Section } from "../../shared/section.tsx";
import { ValidatedForm } from "../../shared/validated-form.tsx";
import { AuthProblem, isProblem, MISSING } from "../sign-in/auth-problem.tsx";
import { NewPasswordInput, newPasswordProblem } from "../sign-in/new-password-input.tsx";
import { sessionsQuery } from "./session-queries.ts";

export function PasswordForm() {
  const { data: session } = useQuery(sessionQuery);
  const [currentPassword, setCurrent] = useState("");
  const [newPassword, setNew] = useState("");
  const [isTried, setIsTried] = useState(false);
  const change = useMutation({
    mutationFn: () => service.auth.changePassword({ currentPassword, newPassword }),
    async onSuccess() {
      setCurrent("");
      setNew("");
      setIsTried(false);
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
  const submit = () => {
    setIsTried(true);
    if (currentPassword !== "" && newPasswordProblem(newPassword) === undefined) change.mutate();
  };
  const problems = fieldProblems(change.error);
  const isWrong = isProblem(change.error, "wrong_credentials");
  return (
    <Section
      title="Password"
      intro="Changing it signs your account out of every other browser. This one stays signed in."
    >
      <ValidatedForm onSubmit={submit}>
        {/* Password managers want to know whose password it is. */}
        <input
          type="hidden"
          name="username"
          autoComplete="username"
          value={session?.account.email ?? ""}
          readOnly
        />
        <Stack gap="md" maw={420}>
          {change.isSuccess && !isTried && (
            <Alert color="teal" role="status" title="Your password is changed">
              Every other browser has been signed out.
            </Alert>
          )}
          <AuthProblem error={change.error} besideFields={["wrong_credentials"]} />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            maxLength={200}
            value={currentPassword}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
            error={
              isTried && currentPassword === ""
                ? MISSING
                : (problems.current_password ??
                  (isWrong ? "The current password is another one." : undefined))
            }
            visibilityToggleButtonProps={{ "aria-label": "Show or hide the current password", tabIndex: 0 }}
          />
          <NewPasswordInput
            label="New password"
            value={newPassword}
            onChange={({ currentTarget }) => setNew(currentTarget.value)}
            error={problems.new_password ?? (isTried ? newPasswordProblem(newPassword) : undefined)}
          />
          <Group>
            <Button type="submit" loading={change.isPending}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </ValidatedForm>
    </Section>
  );
}
