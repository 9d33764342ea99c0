/** Tells those who listen that another page has come up: a browser says so only when it loads one itself. */
import { VisuallyHidden } from "@mantine/core";
import { useEffect, useState } from "react";

export function RouteAnnouncer() {
  const [title, setTitle] = useState("");
  useEffect(() => {
    const heard = document.querySelector("title");
    if (!heard) return;
    const observer = new MutationObserver(() => setTitle(document.title));
    observer.observe(heard, { childList: true });
    return () => observer.disconnect();
  }, []);
  return <VisuallyHidden aria-live="polite">{title}</VisuallyHidden>;
}
