/** Parts of the OpenAPI document that belong to no route: info, tags, security schemes, headers, parameters. */

export const INFO = {
  title: "Mailvet",
  summary: "Checks whether a mailbox exists without sending a message.",
  description: `Validates email addresses: syntax, DNS, SMTP, disposable and role addresses, SPF and DMARC, catch-all domains.

**Authentication.** Send your API key in the \`X-API-Key\` header, or as a bearer token (\`Authorization: Bearer KEY\`); two
that differ are refused. Keys that begin with \`mv_test_\` use the sandbox for
free, on every plan: the local part selects the outcome, such as \`mailbox-not-found@example.com\`. Live and test mode are
separate: uploads, jobs and webhooks of one are not found in the other, and those of test mode have \`sandbox: true\`. The
web app's session selects test mode with the header \`X-Mailvet-Mode: test\`.

**Errors.** Every error is an RFC 9457 problem document (\`application/problem+json\`) with a stable \`code\` and a
human-readable \`detail\`. A verdict is never an HTTP error, and an error never costs a credit. Unknown fields and unknown query
parameters are refused. An ID that does not exist, whatever its form, is \`404\`.

**Model Context Protocol.** \`POST /mcp\` serves the same as tools for language models, with the same keys, credits and limits;
its messages are JSON-RPC and described by \`tools/list\`.

**Versioning.** Fields, endpoints, optional parameters, problem codes and events may be added to this version, but are never
renamed or removed. Ignore fields that you do not know. Enumerations in answers are open: the values that exist are listed in
\`x-extensible-enum\`, others may be added, and code generators make plain strings of them. Where \`enum\` stands in an answer, as for
\`status\` of a verdict, no value will be added.

**Webhooks.** Each event is described under \`webhooks\`. Deliveries are signed by the Standard Webhooks 1.0 scheme.`,
  license: { name: "MIT", identifier: "MIT" },
};

/** Their names in URLs and generated clients, and as the reference shows them. */
export const TAGS = [
  { name: "about", "x-displayName": "About", description: "Public information." },
  {
    name: "validation",
    "x-displayName": "Validation",
    description: "Validate one address, or up to a thousand at once.",
  },
  {
    name: "jobs",
    "x-displayName": "Jobs",
    description: "Validate files: upload, confirm, follow progress, download results.",
  },
  {
    name: "lists",
    "x-displayName": "Saved lists",
    description: "Saved lists that are validated again on a schedule.",
  },
  {
    name: "feedback",
    "x-displayName": "Bounce feedback",
    description: "Report delivery outcomes to calibrate your scores.",
  },
  {
    name: "webhooks",
    "x-displayName": "Webhooks",
    description: "HTTP endpoints that receive event notifications.",
  },
  { name: "account", "x-displayName": "Account", description: "The authenticated account." },
  { name: "credits", "x-displayName": "Credits", description: "Balance, ledger and usage." },
  { name: "keys", "x-displayName": "API keys", description: "API keys. Requires a session." },
  {
    name: "audit",
    "x-displayName": "Audit log",
    description: "Who did what to the account. Requires a session.",
  },
  {
    name: "auth",
    "x-displayName": "Sign-in",
    description: "Sign-up, sign-in, sessions, passwords and two-factor sign-in.",
  },
  {
    name: "operator",
    "x-displayName": "Operator",
    description:
      "Administration. Requires an operator key with the scope of the endpoint, or an operator's session.",
  },
];

export const securitySchemes = (cookieName: string) => ({
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "Created on the API Keys page of the web app.",
  },
  operatorKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description:
      "Begins with `mv_op_`. Created on the Operator keys page of the web app; for operator endpoints only.",
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "The same keys, API keys and operator keys, as a bearer token.",
  },
  session: { type: "apiKey", in: "cookie", name: cookieName, description: "Session cookie, set by sign-in." },
});

const text = (description: string) => ({ description, schema: { type: "string" } });
const count = (description: string) => ({ description, schema: { type: "integer", minimum: 0 } });

export const HEADER_COMPONENTS = {
  "X-Request-Id": text("ID of the request in the log."),
  RateLimit: text('Remaining requests, and seconds until the full quota is available: `"plan";r=599;t=1`.'),
  "RateLimit-Policy": text('Quota and window in seconds: `"plan";q=600;w=60`.'),
  "X-Credits-Remaining": count("Available credits."),
  "X-Total-Count": count("Total number of items in the list."),
  Link: text("Links to the `next` and `prev` page (RFC 8288)."),
  "Idempotency-Replayed": text(
    "`true` if this is the stored response of an earlier request with the same key.",
  ),
  "Retry-After": count("Seconds to wait before retrying."),
};

/** References to header components. */
export const headersNamed = (...names: (keyof typeof HEADER_COMPONENTS)[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** multipart/form-data with a file. */
export const FILE_FORM = {
  schema: {
    type: "object",
    properties: {
      file: { type: "string", format: "binary", description: "The file with its file name." },
    },
    required: ["file"],
  },
};

/** Request bodies of routes that accept a file besides JSON. */
export const FILE_BODIES = {
  "text/csv": { schema: { type: "string", description: "Content of the file. Up to 100 MB by default." } },
  "multipart/form-data": FILE_FORM,
};

export const PARAMETER_COMPONENTS = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: `Up to 255 visible ASCII characters, such as a UUID. Repeating a request with the same key within 24 hours
returns the first response again, with \`Idempotency-Replayed: true\`, at no further cost.`,
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  },
};

const signed = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

/** Headers of every webhook delivery. */
export const WEBHOOK_PARAMETERS = {
  WebhookId: signed(
    "webhook-id",
    "ID of the delivery, the same in every attempt: a message seen before can be ignored.",
  ),
  WebhookTimestamp: signed(
    "webhook-timestamp",
    "Time of the attempt in seconds since 1970. Refuse messages that are more than five minutes off, which may be replayed.",
  ),
  WebhookSignature: signed(
    "webhook-signature",
    `One or more signatures, separated by spaces: \`v1,\` and the base64 of HMAC-SHA256 over \`{webhook-id}.{webhook-timestamp}.{body}\`,
with the bytes of the secret after \`whsec_\`, which are base64. After a rotation, messages are signed with both secrets; accept the
message if one signature is right, compared in constant time.`,
  ),
};

export const WEBHOOK_RESPONSES = {
  "2XX": { description: "Received. Answer within 15 seconds, before the message is processed." },
  "410": { description: "The endpoint is disabled, and gets no further events." },
  default: { description: "Not received: delivered again later, for up to a day." },
};
