/** The parts of the OpenAPI document that no route can say: what the API is, its headers, how to show who one is. */

export const INFO = {
  title: "Mailvet",
  summary: "Finds out whether a mailbox exists, without sending it anything.",
  description: `Validates email addresses: syntax, DNS, SMTP reachability, disposable and role-based addresses, SPF and
DMARC, catch-all domains.

Every failure is an RFC 9457 problem document (\`application/problem+json\`); its \`code\` is stable, its \`detail\` is for
people. A verdict is never an HTTP error, and an error never costs a credit.

A key that begins with \`mv_test_\` answers from the sandbox for free: the local part names the outcome, such as
\`mailbox-not-found@example.com\`.

This version only ever grows: fields and endpoints may be added, never renamed or removed.`,
  license: { name: "MIT", identifier: "MIT" },
};

export const TAGS = [
  { name: "about", description: "The installation, to everybody." },
  { name: "validation", description: "One address, or up to a thousand at once." },
  {
    name: "jobs",
    description: "Files of emails: sent, looked at, confirmed, worked through, and fetched again.",
  },
  { name: "feedback", description: "What became of messages, and what it taught about the scores." },
  { name: "webhooks", description: "Addresses of yours that hear when something has happened." },
  { name: "account", description: "The account that asks." },
  { name: "credits", description: "What there is to spend, and what was spent." },
  { name: "keys", description: "API keys, managed by somebody signed in." },
  { name: "auth", description: "Signing up, in and out." },
  { name: "operator", description: "For whoever runs this installation." },
];

export const securitySchemes = (cookieName: string) => ({
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "Made on the API Keys page of the web app.",
  },
  session: { type: "apiKey", in: "cookie", name: cookieName, description: "Set by signing in." },
});

const text = (description: string) => ({ description, schema: { type: "string" } });
const count = (description: string) => ({ description, schema: { type: "integer", minimum: 0 } });

export const HEADER_COMPONENTS = {
  "X-Request-Id": text("Names this request in our log."),
  RateLimit: text('What is left, and in how many seconds all of it is back: `"plan";r=599;t=1`.'),
  "RateLimit-Policy": text('Requests per window of so many seconds: `"plan";q=600;w=60`.'),
  "X-Credits-Remaining": count("Credits left to spend."),
  "X-Total-Count": count("How many items the whole list has."),
  Link: text("The neighbouring pages (RFC 8288), rel next and prev."),
  "Idempotency-Replayed": text(
    "`true` when this is the kept answer of an earlier request with the same key.",
  ),
  "Retry-After": count("Seconds after which asking again may help."),
};

/** The form in which a file is sent. */
export const FILE_FORM = {
  schema: {
    type: "object",
    properties: {
      file: { type: "string", format: "binary", description: "The file, with its name." },
    },
    required: ["file"],
  },
};

/** Where a file is taken beside JSON: in that form, or as it is. */
export const FILE_BODIES = {
  "text/csv": { schema: { type: "string", description: "The file itself, up to 100 MB unless configured." } },
  "multipart/form-data": FILE_FORM,
};

export const PARAMETER_COMPONENTS = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: `Up to 255 visible ASCII characters, such as a UUID. For 24 hours the same key with the same request gets
the first answer again (with \`Idempotency-Replayed: true\`) and costs nothing more.`,
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  },
};
