import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npm start` listens, for `npm run dev -w web` beside it. */
const SERVICE = process.env.MAILVET_SERVICE ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react()],
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  // The service wants a browser's requests to come from its own pages, so it must see the address that the browser sees.
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ["/api", "/docs", "/health"].map((path) => [path, { target: SERVICE, changeOrigin: false }]),
    ),
  },
  build: {
    outDir: "dist",
    // Inlined as data: URLs they would not pass the content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
  },
});
