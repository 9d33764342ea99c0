/** What the browser calls the page in its tab. Those who listen hear it when the page comes up (page-announcement.tsx). */
import { useEffect } from "react";

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Mailvet`;
  }, [title]);
}
