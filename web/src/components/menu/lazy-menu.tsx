/** A button whose menu is loaded when it is first used: menus need a positioning library, which few visits do. */
import { cloneElement, type ReactElement, type ReactNode, Suspense, useState } from "react";

type ButtonProps = {
  onClick?: () => void;
  onPointerEnter?: () => void;
  onFocus?: () => void;
  "aria-haspopup"?: "menu";
  "aria-expanded"?: boolean;
};

export function LazyMenu({ button, preload, children }: LazyMenuProps) {
  const [isWanted, setIsWanted] = useState(false);
  const closed = cloneElement(button, {
    onClick: () => setIsWanted(true),
    onPointerEnter: preload,
    onFocus: preload,
    "aria-haspopup": "menu",
    "aria-expanded": false,
  });
  return isWanted ? <Suspense fallback={closed}>{children(button)}</Suspense> : closed;
}

type LazyMenuProps = {
  button: ReactElement<ButtonProps>;
  preload: () => void;
  /** The menu with its button: a lazy component that contains an OpeningMenu. */
  children: (button: ReactElement) => ReactNode;
};
