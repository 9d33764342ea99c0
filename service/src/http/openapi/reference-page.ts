/**
 * /docs: the API reference, rendered by Scalar from the OpenAPI document in the frame of the guide.
 *
 * Its colours and typeface are the guide's custom properties, its colour scheme the one chosen in the web app. The links to
 * Scalar's site are hidden, as its licence (MIT) allows. Keys are stored as hashes only, so the page cannot show the test key
 * of a signed-in visitor: on a click it creates one that expires within a day, and keeps it in memory.
 */
import { API_PREFIX } from "@mailvet/contract";
import type { DocsPage } from "../static/docs-layout.ts";

/** `isSignedIn`: the request has a session cookie. */
export function referencePage(bundleName: string, isSignedIn: boolean): DocsPage {
  const offer = isSignedIn
    ? '<button type="button" id="create-test-key">Fill in a test key</button><span>Creates a key that expires in 24 hours. Test keys simulate every result and cost nothing.</span>'
    : '<a href="/sign-in">Sign in</a><span>to try requests from this page with a test key, or enter a key below.</span>';
  return {
    title: "Mailvet API",
    description: "Reference of the Mailvet API: every endpoint with its parameters, answers and examples.",
    head: '<link rel="stylesheet" href="/docs/reference.css">',
    body: `<div class="key-offer" id="key-offer" role="status">${offer}</div>
<main id="main" tabindex="-1"><div id="reference"></div></main>
<script src="/docs/${bundleName}"></script>
<script src="/docs/reference.js"></script>`,
  };
}

export const REFERENCE_SCRIPT = `"use strict";
const HOURS_24_MS = 86_400_000;
const offer = document.getElementById("key-offer");
const root = document.documentElement;

function configuration(key) {
  return {
    url: "${API_PREFIX}/openapi.json",
    theme: "none",
    layout: "modern",
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    hideDarkModeToggle: true,
    forceDarkModeState: root.dataset.mantineColorScheme === "dark" ? "dark" : "light",
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    documentDownloadType: "none",
    persistAuth: false,
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    authentication: {
      preferredSecurityScheme: "apiKey",
      securitySchemes: { apiKey: { value: key ?? "" }, bearer: { token: "" } },
    },
  };
}

// Controls that Scalar renders without a name, or with a role whose state it does not keep.
function nameControls() {
  for (const button of container.querySelectorAll(".scalar-code-copy:not([aria-label])"))
    button.setAttribute("aria-label", "Copy");
  for (const field of container.querySelectorAll('[contenteditable][role="combobox"]')) {
    field.setAttribute("role", "textbox");
    field.setAttribute("aria-label", field.dataset.placeholder || "Value");
  }
}
const container = document.getElementById("reference");
new MutationObserver(nameControls).observe(container, { childList: true, subtree: true });

let reference = Scalar.createApiReference("#reference", configuration());

// The scheme is chosen in the header, or in another tab of the web app.
function applyScheme() {
  const isDark = root.dataset.mantineColorScheme === "dark";
  document.body.classList.toggle("dark-mode", isDark);
  document.body.classList.toggle("light-mode", !isDark);
}
new MutationObserver(applyScheme).observe(root, { attributeFilter: ["data-mantine-color-scheme"] });

function say(text, link) {
  offer.replaceChildren(text);
  if (link) {
    const anchor = document.createElement("a");
    [anchor.href, anchor.textContent] = link;
    offer.append(" ", anchor);
  }
}

async function createTestKey() {
  const response = await fetch("${API_PREFIX}/keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      name: "API reference",
      mode: "test",
      expires_at: new Date(Date.now() + HOURS_24_MS).toISOString(),
    }),
  });
  const answer = await response.json();
  if (response.status === 401) return say("Your session has ended.", ["/sign-in", "Sign in"]);
  if (!response.ok) return say(answer.detail, [answer.type, "What to do"]);
  reference.destroy();
  reference = Scalar.createApiReference("#reference", configuration(answer.key));
  applyScheme();
  say("A test key is filled in until you leave this page.", ["/keys", "API keys"]);
}

document.getElementById("create-test-key")?.addEventListener("click", (event) => {
  event.currentTarget.disabled = true;
  createTestKey().catch(() => say("The service could not be reached. Load the page again."));
});
`;

export const REFERENCE_STYLES = `body { --scalar-custom-header-height: 57px; }
.light-mode, .dark-mode {
  --scalar-font: var(--guide-font);
  --scalar-font-code: var(--guide-mono);
  --scalar-color-1: var(--guide-text);
  --scalar-color-2: var(--guide-dimmed);
  --scalar-color-3: var(--guide-dimmed);
  --scalar-color-accent: var(--guide-accent);
  --scalar-color-disabled: var(--guide-dimmed);
  --scalar-color-ghost: var(--guide-dimmed);
  --scalar-background-1: var(--guide-body);
  --scalar-background-2: var(--guide-ground);
  --scalar-background-3: var(--guide-code);
  --scalar-background-4: var(--guide-code);
  --scalar-background-accent: var(--guide-accent-light);
  --scalar-border-color: var(--guide-border);
  --scalar-link-color: var(--guide-accent);
  --scalar-radius: 6px;
  --scalar-radius-lg: 8px;
  --scalar-radius-xl: 12px;
  --scalar-regular: 400;
  --scalar-semibold: 500;
  --scalar-bold: 600;
  --scalar-button-1: #0d5c78;
  --scalar-button-1-color: #ffffff;
  --scalar-button-1-hover: #0b4a61;
  --scalar-shadow-1: none;
  --scalar-shadow-2: 0 0 0 1px var(--guide-border), 0 12px 32px rgb(0 0 0 / 18%);
  --scalar-sidebar-background-1: var(--guide-body);
  --scalar-sidebar-color-1: var(--guide-text);
  --scalar-sidebar-color-2: var(--guide-dimmed);
  --scalar-sidebar-color-active: var(--guide-accent);
  --scalar-sidebar-border-color: var(--guide-border);
  --scalar-sidebar-item-hover-background: var(--guide-ground);
  --scalar-sidebar-item-hover-color: var(--guide-text);
  --scalar-sidebar-item-active-background: var(--guide-accent-light);
  --scalar-sidebar-search-background: var(--guide-ground);
  --scalar-sidebar-search-color: var(--guide-dimmed);
  --scalar-sidebar-search-border-color: var(--guide-border);
}
[data-mantine-color-scheme="light"] :is(.light-mode, .dark-mode) {
  --scalar-color-green: #1c6b48;
  --scalar-color-red: #972b27;
  --scalar-color-yellow: #7f570a;
  --scalar-color-blue: #0d5c78;
  --scalar-color-orange: #7f570a;
  --scalar-color-purple: #513799;
}
[data-mantine-color-scheme="dark"] :is(.light-mode, .dark-mode) {
  --scalar-color-green: #78c7a1;
  --scalar-color-red: #ec8d89;
  --scalar-color-yellow: #edbe55;
  --scalar-color-blue: #80bed5;
  --scalar-color-orange: #edbe55;
  --scalar-color-purple: #ae99ea;
}
a[href*="scalar.com"] { display: none !important; }
/* Focused when a link leads to it. */
#reference section:focus-visible { outline: none; }
/* A sample value that looks like a key. */
input[placeholder^="QUxM"]::placeholder { opacity: 0; }
.key-offer {
  display: flex;
  flex-wrap: wrap;
  gap: 4px 12px;
  align-items: center;
  min-height: 44px;
  padding: 8px 16px;
  font-size: 14px;
  color: var(--guide-dimmed);
  background: var(--guide-ground);
  border-bottom: 1px solid var(--guide-border);
}
.key-offer button {
  padding: 6px 12px;
  font: 500 14px var(--guide-font);
  color: #ffffff;
  cursor: pointer;
  background: #0d5c78;
  border: 0;
  border-radius: var(--guide-radius);
}
.key-offer button:disabled { opacity: 0.6; }
`;
