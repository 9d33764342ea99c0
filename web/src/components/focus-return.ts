/** Returns the focus to its previous element when a dialog unmounts. */
import { useEffect, useState } from "react";

/** A dialog that stays mounted while closed passes false: Mantine returns its focus. */
export function useFocusReturn(isOpen = true): void {
  const [opener] = useState(() => (isOpen ? document.activeElement : null));
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    },
    [opener],
  );
}
