/** Shown on the page of a job, list, webhook or account that does not exist, usually because it was deleted. */
import { MailvetProblem } from "@mailvet/sdk";
import { Button } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";
import { EmptyState } from "./empty-state.tsx";
import { PageHeader } from "./page-header.tsx";

export function MissingItem({ texts, to }: { texts: MissingTexts; to: LinkProps["to"] }) {
  return (
    <>
      <PageHeader title={texts.title} />
      <EmptyState
        title={texts.reason}
        action={
          <Button variant="default" renderRoot={(props) => <Link {...props} to={to} />}>
            {texts.back}
          </Button>
        }
      >
        {texts.hint}
      </EmptyState>
    </>
  );
}

type MissingTexts = { title: string; reason: string; hint: string; back: string };

/** A malformed id in the URL counts as not found. */
export function isMissing(error: unknown): boolean {
  return error instanceof MailvetProblem && (error.status === 404 || error.code === "validation_failed");
}
