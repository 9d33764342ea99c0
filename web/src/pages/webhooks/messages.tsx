/** Texts of the webhook pages. */
import type { WebhookDelivery, WebhookEvent } from "@mailvet/contract";
import type { ReactNode } from "react";
import { plural } from "../../components/number-format.ts";

export const messages = {
  title: "Webhooks",
  intro: "Get notified when a job finishes or credits run low.",
  list: "Endpoints",
  add: "Add endpoint",
  none: "No endpoints yet",
  noneText: "Add a URL. Every message is signed, and retried for 24 hours until it is delivered.",
  columns: { name: "Endpoint", status: "Status", url: "URL", events: "Events", added: "Added" },
  allEndpoints: "← All endpoints",
  endpoint: "Webhook",
  notFound: {
    title: "Webhook not found",
    reason: "It may have been deleted",
    hint: "Or it belongs to another account, or the link is mistyped.",
    back: "Go to webhooks",
  },

  form: {
    url: "URL",
    urlHint: "Must be a public https:// URL that answers 2xx within 15 seconds.",
    urlPlaceholder: "https://example.com/hooks/mailvet",
    description: "Description",
    events: "Events",
    allEvents: "All events, including future ones",
    selectedEvents: "Selected events",
    eventList: "Selected events",
    eventsMissing: "Choose at least one event.",
  },
  everyEvent: "All events",
  events: {
    "job.completed": "A job finished; its results are available.",
    "job.failed": "A job failed.",
    "job.cancelled": "A job was cancelled.",
    "job.paused": "A job was paused.",
    "validation.completed": "A single check with the verdict unknown was retried and has its final result.",
    "credits.low": "The balance fell below 100 credits.",
    "list.changed": "Emails of a saved list have become valid or invalid.",
    "api_key.created": "An API key was created.",
    "api_key.revoked": "An API key was revoked.",
    "webhook.test": "A test event was sent.",
  } satisfies Record<WebhookEvent, string>,

  status: {
    disabled: "Disabled",
    failing: "Failing",
    enabled: "Enabled",
    disabledReason: (reason: string) => `Disabled automatically. ${reason}`,
    failingSince: (at: ReactNode) => <>No successful delivery since {at}.</>,
  },
  actions: {
    test: "Send test event",
    testSent: "Test event sent. See its delivery below.",
    disable: "Disable",
    enable: "Enable",
  },

  deliveries: {
    title: "Deliveries",
    intro: "Last 30 days. Failed deliveries are retried with back-off for 24 hours.",
    filter: "Filter deliveries",
    all: "All",
    states: { pending: "Pending", delivered: "Delivered", failed: "Failed" } satisfies Record<
      WebhookDelivery["state"],
      string
    >,
    noneInState: "No such deliveries.",
    none: "No deliveries yet. Send a test event to see one.",
    id: (id: string) => `webhook-id ${id}`,
    notAttempted: "Not attempted yet.",
    attempts: (count: number, lastAt: ReactNode, result: string) => (
      <>
        {plural(count, "attempt")}, last {lastAt}. {result}
      </>
    ),
    nextAttempt: (at: ReactNode) => <>Next attempt {at}.</>,
    responded: (status: number) => `The endpoint answered ${status}.`,
    /** Why an attempt failed, as the service describes it. */
    trouble: (sentence: string) => sentence,
    retryNow: "Retry now",
    resend: "Resend",
    enableFirst: "Enable the endpoint first.",
  },

  settings: "Settings",
  secret: {
    title: "Signing secret",
    intro: "The secret was shown once. You can't view it again, but you can rotate it.",
    label: "secret",
    rotate: "Rotate secret",
    created: "Endpoint added",
    createdText: (host: string) =>
      `Messages to ${host} are signed with this secret. Store it somewhere safe. You won't see it again.`,
    rotated: "Secret rotated",
    rotatedText:
      "For 24 hours messages are signed with both secrets. Update your endpoint in this time. You won't see the new secret again.",
    rotateTitle: "Rotate the secret?",
    rotateText: "You get a new secret. The old one stays valid for 24 hours.",
    verify: (install: ReactNode) => (
      <>
        Messages follow Standard Webhooks. Use its library ({install}) to verify that a message came from us:
      </>
    ),
    example: "example",
    exampleComment: "body: the raw request body. Throws unless the signature is valid and recent.",
  },
  delete: {
    title: "Delete endpoint",
    intro: "Deletes the endpoint and its delivery history.",
    button: "Delete endpoint",
    confirmTitle: "Delete this endpoint?",
    keep: "Keep endpoint",
    text: (host: string) =>
      `Nothing more is sent to ${host}, and pending deliveries are discarded. To pause deliveries, disable it instead.`,
  },
};
