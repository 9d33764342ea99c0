/**
 * The document title, and its announcement to screen readers.
 *
 * A browser announces the title only when it loads a document, not when a single-page app changes the route.
 */
import { VisuallyHidden } from "@mantine/core";
import { useEffect, useState } from "react";
import { common } from "../messages.ts";

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = common.documentTitle(title);
  }, [title]);
}

/** A live region that repeats every new document title. */
export function RouteAnnouncer() {
  const [title, setTitle] = useState("");
  useEffect(() => {
    const element = document.querySelector("title");
    if (!element) return;
    const observer = new MutationObserver(() => setTitle(document.title));
    observer.observe(element, { childList: true });
    return () => observer.disconnect();
  }, []);
  return <VisuallyHidden aria-live="polite">{title}</VisuallyHidden>;
}
