/** For dialogs that are there only while they are open: afterwards the keyboard is where it was before. */
import { useEffect, useState } from "react";

/** One that stays and is opened and closed sees to it by itself; it says false. */
export function useFocusReturn(isOpen = true): void {
  const [opener] = useState(() => (isOpen ? document.activeElement : null));
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    },
    [opener],
  );
}
