/**
 * A form that is checked by us. When something is wrong with what was sent, the keyboard goes to the first field that
 * is to blame: those who listen then hear its name and what is wrong with it.
 */
import { type ReactNode, useEffect, useRef } from "react";

export function ValidatedForm({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  const form = useRef<HTMLFormElement>(null);
  /** The service may answer later than we do, and its answer names fields too. */
  const isSent = useRef(false);
  useEffect(() => {
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (!isSent.current || !wrong) return;
    isSent.current = false;
    wrong.focus();
  });
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        isSent.current = true;
        onSubmit();
      }}
      onInput={() => {
        isSent.current = false;
      }}
    >
      {children}
    </form>
  );
}
