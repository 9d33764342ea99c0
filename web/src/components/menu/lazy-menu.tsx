/** A button whose menu or panel is loaded when it is first used: these need a positioning library, which few visits do. */
import { cloneElement, type ReactElement, type ReactNode, Suspense, useState } from "react";

type ButtonProps = {
  onClick?: () => void;
  onPointerEnter?: () => void;
  onFocus?: () => void;
  "aria-haspopup"?: "menu" | "dialog";
  "aria-expanded"?: boolean;
};

export function LazyMenu({ button, popup = "menu", preload, children }: LazyMenuProps) {
  const [isWanted, setIsWanted] = useState(false);
  const closed = cloneElement(button, {
    onClick: () => setIsWanted(true),
    onPointerEnter: preload,
    onFocus: preload,
    "aria-haspopup": popup,
    "aria-expanded": false,
  });
  return isWanted ? <Suspense fallback={closed}>{children(button)}</Suspense> : closed;
}

type LazyMenuProps = {
  button: ReactElement<ButtonProps>;
  popup?: "menu" | "dialog";
  preload: () => void;
  /** The menu with its button: a lazy component that contains an OpeningMenu or OpeningPanel. */
  children: (button: ReactElement) => ReactNode;
};
