import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { guidePlugin } from "./guide/plugin.ts";
import { languageEnvironments, languagePlugin } from "./language-plugin.ts";

/** Address of a running service, for `npm run dev -w web`. */
const SERVICE = process.env.MAILVET_SERVICE ?? "http://127.0.0.1:8080";

/** What every page needs, those before sign-in too. */
const BASE = new RegExp(
  [
    "/node_modules/(react|react-dom|scheduler|clsx)/",
    "DirectionProvider", // otherwise in a chunk with @floating-ui, which only menus need
    "/@mantine/core/esm/core/",
    "/@mantine/core/esm/components/(Alert|Anchor|Button|CloseButton|Group|Input|InputBase|Loader|Paper|Stack|Text|TextInput|Title|Transition|UnstyledButton|VisuallyHidden)/",
    "/sdk/src/",
    "/web/src/(mount|theme|messages|connection|mode|service|session-news)\\.",
    "/web/src/design/(tokens|fonts|mantine-base)\\.",
    "/web/src/components/(document-title|error-alert|number-format|problem-text|timestamp|validated-form)\\.",
  ].join("|"),
);

/** What every page behind sign-in needs. */
const SHELL = new RegExp(
  [
    "/@tanstack/(react-router|router-core|history|store|react-store|react-query|query-core)/",
    "/use-sync-external-store/",
    "/@mantine/core/esm/components/(Avatar|Badge|Burger|Kbd|NavLink|Skeleton|Switch)/",
    "/web/src/(app|queries|router)\\.",
    "/web/src/design/mantine-app\\.",
    "/web/src/shell/(app-layout|account-menu|connection-banner|credits-badge|nav-icon|nav-links|shortcuts|test-mode)\\.",
    "/web/src/components/(empty-state|error-pages|icon|loading|page-header)\\.",
    "/web/src/components/menu/lazy-menu\\.",
  ].join("|"),
);

export default defineConfig({
  plugins: [react(), languagePlugin(), guidePlugin()],
  environments: languageEnvironments({
    resolve: { conditions: ["source", "module", "browser", "development|production"] },
  }),
  // The service checks the Origin header against Host, so the proxy must keep the browser's Host.
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ["/api", "/docs", "/guide", "/health"].map((path) => [path, { target: SERVICE, changeOrigin: false }]),
    ),
  },
  build: {
    outDir: "dist",
    // Inlined assets are data: URLs, which the content security policy blocks.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      checks: { bundlerTimings: false }, // a busy machine is no fault of a plugin
      // What every page needs, the sign-in page too, in one file: it compresses better than forty.
      output: {
        codeSplitting: {
          groups: [
            { name: "base", test: BASE },
            { name: "shell", test: SHELL },
          ],
        },
      },
    },
  },
});
