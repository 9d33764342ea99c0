/** Operator keys: list, create, revoke. */

import type { OperatorKey } from "@mailvet/contract";
import { lazy, Suspense } from "react";
import type { Column } from "../../components/table/data-table.tsx";
import { service } from "../../queries.ts";
import { KeyManager } from "../keys/key-manager.tsx";
import { OperatorOnly } from "../operator/operator-only.tsx";
import { messages } from "./messages.tsx";
import { operatorKeysQuery } from "./operator-key-queries.ts";

const CreateOperatorKey = lazy(async () => ({
  default: (await import("./create-operator-key.tsx")).CreateOperatorKey,
}));

export function Page() {
  return (
    <OperatorOnly title={messages.title}>
      <KeyManager
        texts={messages}
        query={operatorKeysQuery}
        columns={COLUMNS}
        revoke={service.operator.keys.revoke}
        dialog={(close) => (
          <Suspense>
            <CreateOperatorKey onClose={close} />
          </Suspense>
        )}
      />
    </OperatorOnly>
  );
}

const { scopes, allowed, createdBy } = messages.columns;

const COLUMNS: readonly Column<OperatorKey>[] = [
  { name: scopes, cell: (key) => <Cut text={key.scopes.join(", ")} /> },
  {
    name: allowed,
    cell: (key) => <Cut text={key.allowed_ranges.join(", ") || messages.everywhere} />,
    isWide: true,
  },
  { name: createdBy, cell: (key) => <Cut text={key.created_by ?? messages.deletedOperator} />, isWide: true },
];

function Cut({ text }: { text: string }) {
  return <span title={text}>{text}</span>;
}
