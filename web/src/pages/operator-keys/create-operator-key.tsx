/** Creates an operator key, optionally for certain addresses only. */

import type { OperatorScope } from "@mailvet/contract";
import { Textarea } from "@mantine/core";
import { useState } from "react";
import { service } from "../../queries.ts";
import { KeyDialog } from "../keys/key-dialog.tsx";
import { messages } from "./messages.tsx";
import { operatorKeysQuery } from "./operator-key-queries.ts";

const SCOPES = Object.entries(messages.scopes) as [OperatorScope, string][];

export function CreateOperatorKey({ onClose }: { onClose: () => void }) {
  const [ranges, setRanges] = useState("");
  return (
    <KeyDialog
      title={messages.created}
      scopes={SCOPES.map(([scope, description]) => [scope, scope, description])}
      initialScopes={[]}
      initialExpiry="90"
      namePlaceholder={messages.form.namePlaceholder}
      create={(draft) =>
        service.operator.keys.create({
          ...draft,
          allowedRanges: ranges.split(/[\s,]+/).filter((range) => range !== ""),
        })
      }
      queryKey={operatorKeysQuery.queryKey}
      after={(rejected) => (
        <Textarea
          label={messages.form.ranges}
          description={messages.form.rangesHint}
          placeholder={messages.form.rangesPlaceholder}
          autosize
          minRows={2}
          value={ranges}
          onChange={({ currentTarget }) => setRanges(currentTarget.value)}
          error={Object.entries(rejected).find(([field]) => field.startsWith("allowed_ranges"))?.[1]}
        />
      )}
      onClose={onClose}
    />
  );
}
