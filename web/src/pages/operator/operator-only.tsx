/** Keeps a page for the operator; others are told so. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { EmptyNote } from "../../parts/empty-note.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { sessionQuery } from "../../queries.ts";

export function OperatorOnly({ title, children }: { title: string; children: ReactNode }) {
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  if (session.account.is_operator) return children;
  return (
    <>
      <PageTitle title={title} />
      <EmptyNote title="Only the operator">
        This page is for whoever runs this installation. Your account does not.
      </EmptyNote>
    </>
  );
}
