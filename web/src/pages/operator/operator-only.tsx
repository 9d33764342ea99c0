/** Shows its children to operators only. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { sessionQuery } from "../../queries.ts";
import { messages } from "./messages.tsx";

export function OperatorOnly({ title, children }: { title: string; children: ReactNode }) {
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  if (session.account.is_operator) return children;
  return (
    <>
      <PageHeader title={title} />
      <EmptyState title={messages.noAccess}>{messages.noAccessText}</EmptyState>
    </>
  );
}
