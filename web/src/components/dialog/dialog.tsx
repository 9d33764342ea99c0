/** A modal dialog, mounted while it is open. Mantine's is loaded with the first one: few visits need it. */
import { lazy, Suspense } from "react";
import type { DialogProps } from "./dialog-frame.tsx";
import { useFocusReturn } from "./focus-return.ts";

const DialogFrame = lazy(() => import("./dialog-frame.tsx"));

export function Dialog(props: DialogProps) {
  useFocusReturn();
  return (
    <Suspense>
      <DialogFrame {...props} />
    </Suspense>
  );
}
