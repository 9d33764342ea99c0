/** Texts of the API keys page, and those that it shares with the operator keys. */
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
  planRequired: "Live keys need a paid plan",
  planRequiredText:
    "Your plan includes the web app and test keys. Live keys can be created now and work once you are on a paid plan. Ask your administrator.",
  none: "No keys yet",
  noneText:
    "Create a key to use Mailvet from your applications, or a test key to try it without spending credits.",
  usage: "Use a key",
  usageText: "Replace YOUR_KEY with your full key.",
  usageTextNoKey: "Create a key, then replace YOUR_KEY with it.",
  language: "Language",
  setUp: (language: string) => `${language} set-up`,
  example: (language: string) => `${language} example`,

  namePlaceholder: "Newsletter sign-up form",
  mode: "Mode",
  scopesColumn: "Scopes",
  created: "Key created",

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
};

export const keyTexts = {
  create: "Create key",
  columns: { name: "Name", prefix: "Key", lastUsed: "Last used", created: "Created", expires: "Expires" },
  never: "Never",
  revoked: "Revoked",
  expired: "Expired",

  form: {
    name: "Name",
    nameHint: "What will use this key?",
    nameMissing: "Enter a name.",
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
    label: "key",
    text: (name: ReactNode) => (
      <>This is the key for {name}. Store it somewhere safe. You won't see it again.</>
    ),
  },
  revoke: {
    button: "Revoke",
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
