/**
 * A form validated by the app instead of the browser. After a rejected submit the focus moves to the first invalid
 * field, so that screen readers announce its label and error.
 */
import { type ReactNode, useEffect, useRef } from "react";

export function ValidatedForm({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  const form = useRef<HTMLFormElement>(null);
  /** Stays set until a field is invalid, because the errors of the service arrive later than those of the form. */
  const isSubmitted = useRef(false);
  useEffect(() => {
    const invalid = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (!isSubmitted.current || !invalid) return;
    isSubmitted.current = false;
    invalid.focus();
  });
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        isSubmitted.current = true;
        onSubmit();
      }}
      onInput={() => {
        isSubmitted.current = false;
      }}
    >
      {children}
    </form>
  );
}
