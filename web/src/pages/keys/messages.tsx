/** Texts of the API keys page. */
import type { KeyMode, KeyScope } from "@mailvet/contract";
import type { ReactNode } from "react";

export const messages = {
  title: "API keys",
  intro: (header: ReactNode) => (
    <>
      Send your key in the {header} header. Use a separate key per application so you can revoke one without
      affecting the rest.
    </>
  ),
  list: "API keys",
  create: "Create key",
  planRequired: "Live keys need a paid plan",
  planRequiredText:
    "Your plan includes the web app and test keys. Live keys can be created now and work once you are on a paid plan. Ask your administrator.",
  none: "No keys yet",
  noneText:
    "Create a key to use Mailvet from your applications, or a test key to try it without spending credits.",
  usage: "Use a key",
  usageText: "Replace the placeholder with your full key.",
  usageTextNoKey: "Create a key, then replace the placeholder with it.",
  language: "Language",
  setUp: (language: string) => `${language} set-up`,
  example: (language: string) => `${language} example`,

  form: {
    name: "Name",
    nameHint: "What will use this key?",
    namePlaceholder: "Newsletter sign-up form",
    nameMissing: "Enter a name.",
    mode: "Mode",
    scopes: "Scopes",
    scopesHint: "Grant only what is needed.",
    scopesMissing: "Choose at least one scope.",
    expires: "Expires",
    expiry: {
      never: "Never",
      "30": "In 30 days",
      "90": "In 90 days",
      "365": "In a year",
      date: "On a date",
    },
    lastDay: "Last day",
    dateMissing: "Choose a date.",
    datePast: "This date is in the past.",
  },

  created: {
    title: "Key created",
    label: "key",
    text: (name: ReactNode) => (
      <>This is the key for {name}. Store it somewhere safe. You won't see it again.</>
    ),
  },

  modes: {
    live: ["Live", "Contacts real mail servers. One credit per unique address."],
    test: ["Test", "Simulated results from the sandbox. Free; the address determines the verdict."],
  } satisfies Record<KeyMode, readonly [name: string, description: string]>,
  scopes: {
    validate: ["Validate", "Check single addresses and report bounces."],
    bulk: [
      "Bulk",
      "Check up to 1,000 addresses per request, upload files, manage jobs and webhooks, delete feedback.",
    ],
    read: ["Read", "View jobs and results, usage, credits, webhooks and bounce feedback."],
  } satisfies Record<KeyScope, readonly [name: string, description: string]>,

  card: {
    revoked: "Revoked",
    expired: "Expired",
    created: (at: ReactNode) => <>Created {at}</>,
    lastUsed: (at: ReactNode) => <>last used {at}</>,
    neverUsed: "never used",
    revokedAt: (at: ReactNode) => <>revoked {at}</>,
    expiresAt: (at: ReactNode) => <>expires {at}</>,
    expiredAt: (at: ReactNode) => <>expired {at}</>,
    noExpiry: "does not expire",
    revoke: "Revoke",
    revokeKey: (name: string) => `Revoke ${name}`,
  },
  revoke: {
    title: "Revoke this key?",
    confirm: "Revoke key",
    cancel: "Keep key",
    text: (name: ReactNode, prefix: string) => (
      <>
        Requests with {name} ({prefix}…) are rejected within a second. This can't be undone.
      </>
    ),
  },
};
