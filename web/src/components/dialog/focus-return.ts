/** Returns the focus to its previous element when a dialog unmounts, or the sign-in in place of a page; or to the page where that is gone. */
import { useEffect, useState } from "react";

export function useFocusReturn(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // A button that is disabled while it waits has lost the focus to the body.
      const isThere = opener?.isConnected && opener !== document.body;
      const target = isThere ? opener : document.getElementById("main");
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    },
    [opener],
  );
}
