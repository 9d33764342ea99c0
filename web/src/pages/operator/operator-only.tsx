/** Keeps a page for the operator; others are told so. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { sessionQuery } from "../../queries.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { PageHeader } from "../../shared/page-header.tsx";

export function OperatorOnly({ title, children }: { title: string; children: ReactNode }) {
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  if (session.account.is_operator) return children;
  return (
    <>
      <PageHeader title={title} />
      <EmptyState title="Only the operator">
        This page is for whoever runs this installation. Your account does not.
      </EmptyState>
    </>
  );
}
