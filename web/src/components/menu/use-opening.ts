/** Opens a menu or panel when it is mounted. See lazy-menu.tsx. */
import { cloneElement, type ReactElement, useEffect, useRef, useState } from "react";

export function useOpening(button: ReactElement) {
  const ref = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    ref.current?.focus(); // the focus was on the button that this one replaces
    setIsOpen(true);
  }, []);
  return { target: cloneElement(button as ReactElement<{ ref?: unknown }>, { ref }), isOpen, setIsOpen };
}
