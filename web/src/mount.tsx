/** Mounts React with the theme. */
import { MantineProvider } from "@mantine/core";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./design/fonts.css";
import "./design/mantine-base.css";
import "./app.css";
import { cssVariables, theme } from "./theme.ts";

// The content security policy allows inline styles only with this nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
// Mantine's dialogs lock scrolling with react-remove-scroll, which reads the nonce for its style element from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

export function mount(content: ReactNode): void {
  createRoot(document.getElementById("app")!).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce ?? ""}
        deduplicateCssVariables={false} // all are set here; Mantine's style sheet of defaults is not loaded
      >
        {content}
      </MantineProvider>
    </StrictMode>,
  );
}
