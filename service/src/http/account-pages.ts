/**
 * The few pages that links in mails lead to: confirm an address, choose a new password. Plain forms that call the API;
 * until there is a web app, the front door leads to the API's reference.
 */
import type { FastifyPluginAsync } from "fastify";

export const accountPages: FastifyPluginAsync = async (app) => {
  app.get("/", async (_request, reply) => reply.redirect("/docs"));
  for (const path of ["/confirm-email", "/reset-password", "/sign-in"]) {
    app.get(path, async (_request, reply) => reply.headers(PAGE_HEADERS).send(PAGE));
  }
  app.get("/account-pages.js", async (_request, reply) => reply.headers(SCRIPT_HEADERS).send(SCRIPT));
};

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; form-action 'none'; " +
    "base-uri 'none'; frame-ancestors 'none'",
};
const SCRIPT_HEADERS = { "content-type": "text/javascript; charset=utf-8" };

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mailvet</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  main { max-width: 24rem; margin: 15vh auto; padding: 0 1.25rem; }
  label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit; }
  input, button { margin: .25rem 0 1rem; padding: .6rem .75rem; border: 1px solid GrayText; border-radius: .4rem; }
  button { background: #0b5cad; color: #fff; border-color: #0b5cad; cursor: pointer; }
</style>
<main>
  <h1 id="title">Mailvet</h1>
  <form id="form" hidden>
    <label id="label" for="field"></label>
    <input id="field">
    <button id="button"></button>
  </form>
  <p id="said" role="status"></p>
  <noscript>This page needs JavaScript.</noscript>
</main>
<script src="/account-pages.js"></script>
</html>
`;

/** Runs in the browser. The token never leaves the address bar but to the API, and nothing is loaded from elsewhere. */
const SCRIPT = `"use strict";
const token = new URLSearchParams(location.search).get("token");
const at = (id) => document.getElementById(id);
const pages = {
  "/confirm-email": {
    title: "Confirm your email",
    button: "Confirm",
    send: () => ["/auth/confirm-email", { token }],
    done: "Confirmed. Your account is open.",
  },
  "/reset-password": {
    title: "Choose a new password",
    label: "New password, 10 characters or more",
    type: "password",
    button: "Save",
    send: (value) => ["/auth/password-reset/confirm", { token, new_password: value }],
    done: "Saved. Sign in with your new password from now on.",
  },
  ask: {
    title: "Forgot your password?",
    label: "Email of your account",
    type: "email",
    button: "Send me a link",
    send: (value) => ["/auth/password-reset", { email: value }],
    done: "If there is such an account, a link is on its way; without a mail server, it is with the operator.",
  },
};
const page = (token && pages[location.pathname]) || pages.ask;
document.title = page.title + " · Mailvet";
at("title").textContent = page.title;
at("button").textContent = page.button;
at("label").textContent = page.label ?? "";
at("field").type = page.type ?? "hidden";
at("field").required = page.label !== undefined;
if (page.type === "password") at("field").autocomplete = "new-password";
at("form").hidden = false;
at("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  at("button").disabled = true;
  const [path, body] = page.send(at("field").value);
  const answer = await fetch("/api/v1" + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  at("button").disabled = false;
  if (answer?.ok) {
    at("form").hidden = true;
    at("said").textContent = page.done;
    return;
  }
  const problem = await answer?.json().catch(() => undefined);
  at("said").textContent = problem?.errors?.[0]?.message ?? problem?.detail ?? "The service could not be reached.";
});
`;
