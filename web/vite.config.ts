import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { guidePlugin } from "./guide/plugin.ts";
import { languageEnvironments, languagePlugin } from "./language-plugin.ts";

/** Address of a running service, for `npm run dev -w web`. */
const SERVICE = process.env.MAILVET_SERVICE ?? "http://127.0.0.1:8080";

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
      // Modules that every page needs; otherwise they end up in a chunk with @floating-ui, which only menus need.
      output: {
        codeSplitting: { groups: [{ name: "base", test: /\/node_modules\/react\/|DirectionProvider/ }] },
      },
    },
  },
});
