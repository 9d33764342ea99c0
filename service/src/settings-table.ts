/**
 * Every setting of the service, in the order of .env.example and of the table in docs/operating.md, which are written from
 * it (settings-table.test.ts, `npx vitest run -u`). config.ts and the engine read and check the values.
 */
export type Setting = {
  meaning: string;
  /** The value when it is not set. */
  fallback?: string;
  /** What holds when it is not set, where that is no fixed value. */
  unset?: string;
  example?: string;
  /** May be given as the path of a file too (NAME_FILE), and is never printed. */
  isSecret?: true;
};

export const SETTING_SECTIONS: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  "the service": {
    HOST: {
      meaning:
        "Listening address. Use 0.0.0.0 to accept connections from other machines, behind a proxy that terminates TLS.",
      fallback: "127.0.0.1",
    },
    PORT: {
      meaning: "Listening port. A worker listens only when it is set, for /health and /metrics.",
      fallback: "8080",
    },
    PUBLIC_URL: {
      meaning: "The public URL: for links in emails, and for cookies (https makes them Secure).",
      unset: "the listening address",
      example: "https://mailvet.example.com",
    },
    TRUSTED_PROXIES: {
      meaning: "Proxies whose X-Forwarded-For is trusted, as addresses or ranges.",
      example: "127.0.0.1,10.0.0.0/8",
    },
    ROLE: {
      meaning:
        "The role of this process. all: everything. api and worker: run any number of each with the same DATABASE_URL.",
      fallback: "all",
    },
  },
  storage: {
    DATA_DIR: {
      meaning:
        "Data directory: the embedded PostgreSQL, and uploaded files in its subdirectory blobs. With ROLE=api or worker it must be set, unless there is a bucket, to a directory that all processes share.",
      unset:
        "./data, or a directory under /var/lib/mailvet when root starts it where an unprivileged user has no access",
      example: "/var/lib/mailvet",
    },
    POSTGRES_BIN: {
      meaning:
        "The directory of PostgreSQL's programs (initdb and postgres, 15 to 18) for the embedded database. An existing database is opened by its own major only.",
      unset:
        "for a new database whichever has more security fixes of the operating system's and npm's; for an existing one the newest of its major",
      example: "/usr/lib/postgresql/17/bin",
    },
    DATABASE_URL: {
      meaning: "A PostgreSQL server (15 or newer) instead of the embedded one.",
      unset: "the embedded one",
      example: "postgres://user:password@host:5432/mailvet",
      isSecret: true,
    },
    DATABASE_DIRECT_URL: {
      meaning:
        "When DATABASE_URL leads to a connection pooler in transaction mode (PgBouncer): a direct address of the database, for migrations and the up to four connections of each process that need a session.",
      isSecret: true,
    },
    DATABASE_READ_URL: {
      meaning: "A streaming replica. Result pages and downloads are read from it while it is not behind.",
      isSecret: true,
    },
    DATABASE_POOL_SIZE: {
      meaning: "Connections that the pool of a process may open.",
      unset: "16, or 6 for ROLE=worker",
    },
    S3_ENDPOINT: {
      meaning:
        "An S3-compatible store for uploaded files instead of DATA_DIR. The four settings from here to S3_SECRET_ACCESS_KEY belong together.",
      example: "https://s3.example.com",
    },
    S3_BUCKET: { meaning: "The bucket: one per installation." },
    S3_ACCESS_KEY_ID: { meaning: "Key of the bucket.", isSecret: true },
    S3_SECRET_ACCESS_KEY: { meaning: "Secret of that key.", isSecret: true },
    S3_REGION: { meaning: "Region of the bucket.", fallback: "us-east-1" },
    S3_PATH_STYLE: {
      meaning: "Whether the bucket is part of the path (yes) or of the host name (no).",
      fallback: "yes",
    },
  },
  "the operator, created at the first start": {
    ADMIN_EMAIL: { meaning: "Email of the operator's account.", fallback: "admin@localhost" },
    ADMIN_PASSWORD: {
      meaning: "At least 10 characters, not a common password.",
      unset: "generated and printed once",
      isSecret: true,
    },
    ADMIN_CREDITS: { meaning: "Credits of the operator's account.", fallback: "1000000" },
    BOOTSTRAP_API_KEY: {
      meaning: "The first API key, 20 to 512 visible characters.",
      unset: "generated and printed once",
      isSecret: true,
    },
  },
  "other accounts": {
    SIGN_UP: {
      meaning:
        "open: everyone who can reach the service can sign up, except with disposable addresses; closed: no registration; domains:acme.com,acme.de: only addresses at these domains; approval: new accounts are suspended until an operator resumes them.",
      fallback: "open",
    },
    REQUIRE_TWO_FACTOR: {
      meaning:
        "operators: an operator must enable two-factor sign-in or use a passkey before using operator rights; off: it is voluntary.",
      fallback: "off",
    },
    SIGN_UP_PLAN: {
      meaning: "Plan of a new account: free (web app only), payg, starter, growth, enterprise.",
      fallback: "free",
    },
    SIGN_UP_CREDITS: {
      meaning: "Credits of a new account, given when its email is confirmed where mail is configured.",
      fallback: "100",
    },
    MAIL_URL: {
      meaning:
        "Mail server for outgoing email (confirmation, password reset, end of jobs, low credits). With it, a new account must confirm its email. Without it, links are printed to the output of the service, for the operator to pass on.",
      example: "smtp://user:password@mail.example.com:587",
      isSecret: true,
    },
    MAIL_SENDER: { meaning: "Sender of these emails.", fallback: "mailvet@localhost" },
    UNKNOWN_REFUND: {
      meaning:
        "Which unknown verdicts are refunded: never, own_fault (internal_error, egress_blocked, smtp_skipped, and probe_blocked where a mail host refuses the address of this installation), always.",
      fallback: "own_fault",
    },
    BLOCKLIST_CHECK: {
      meaning:
        "daily: the service asks DNS blocklists about the address of each egress identity once a day, after a connection to a few large providers that shows the address. Operators are told of a listing. off: only the diagnostics ask.",
      fallback: "daily",
    },
    PROVIDER_WAIT_HOURS: {
      meaning:
        "The longest that rows of a list wait for a mail provider that refuses the address of this installation. Then they are unknown, and refunded.",
      fallback: "12",
    },
    REACHER_COMPATIBLE: {
      meaning:
        "yes: also answers at the paths of Reacher, /v0/check_email, /v1/check_email and /v1/bulk (docs/migrating-from-reacher.md).",
      fallback: "no",
    },
  },
  "time limits": {
    SINGLE_BUDGET_SECONDS: {
      meaning:
        "Time limit of a single check. What is undecided by then is unknown, with the time to retry; the check continues in the background.",
      fallback: "25",
    },
    BULK_BUDGET_SECONDS: { meaning: "The same for POST /validation/bulk.", fallback: "50" },
    OVERLOAD_DELAY_SECONDS: {
      meaning:
        "A request that waited longer than this before the service could begin with it is refused with 503 (overloaded), and so is every request while the event loop is late by half of this. Raise it on a machine that is slow rather than overloaded.",
      fallback: "2",
    },
    STOP_TIMEOUT_SECONDS: {
      meaning:
        "Time limit of a stop; then the process exits with code 1. Set it below the kill timeout of the process manager.",
      fallback: "9",
    },
  },
  lists: {
    MAX_CSV_EMAILS: {
      meaning: "Emails in one file; a plan may allow fewer. A larger file is refused.",
      fallback: "100000",
    },
    MAX_UPLOAD_MB: { meaning: "Size of an uploaded file, compressed or not, in MiB.", fallback: "100" },
    RETENTION_DAYS: {
      meaning: "Days that rows and results are kept after a job has ended. The job's counts are kept.",
      fallback: "30",
    },
    AUDIT_RETENTION_DAYS: { meaning: "Days that entries of the audit log are kept.", fallback: "365" },
    WORKER_SLOTS: {
      meaning:
        "Slots of one process for slices of lists: each is 250 emails in flight. A slice that has fewer left takes a share of its slot.",
      fallback: "16",
    },
  },
  monitoring: {
    LOG_LEVEL: { meaning: "silent, error, warn, info, debug", fallback: "info" },
    LOG_ADDRESSES: { meaning: "masked: a***@example.com; full: complete addresses.", fallback: "masked" },
    METRICS_TOKEN: {
      meaning:
        "Bearer token for /metrics, at least 16 characters. Without it /metrics answers requests from this machine only, and none when PUBLIC_URL is set.",
      isSecret: true,
    },
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      meaning:
        "Traces, as OTLP over HTTP (JSON), go to this collector. Without it nothing of OpenTelemetry is loaded. The other variables of OpenTelemetry hold too, such as OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER and OTEL_EXPORTER_OTLP_HEADERS. None of them has an alias.",
      example: "http://127.0.0.1:4318",
    },
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
      meaning: "The complete URL for traces, where it differs.",
      example: "http://127.0.0.1:4318/v1/traces",
    },
    OTEL_TRACES_EXPORTER: { meaning: "none: no traces." },
    OTEL_SDK_DISABLED: { meaning: "true: nothing of OpenTelemetry." },
  },
  DNS: {
    DNS_SERVERS: {
      meaning: "Resolvers, as ip[:port]. A caching resolver of your own is best.",
      unset: "those of the operating system",
      example: "127.0.0.1:53",
    },
  },
  SMTP: {
    EHLO_NAME: {
      meaning:
        "The EHLO name: a host name, not an IP address. It should resolve to the public IP, and the PTR record of that IP back to it (mailvet doctor checks both).",
      unset: "the host name of this machine",
      example: "probe.example.com",
    },
    MAIL_FROM: {
      meaning: "The envelope sender. A real mailbox at a domain with MX and SPF.",
      unset: "postmaster@ the EHLO name",
      example: "probe@example.com",
    },
    PROBE_TIMEOUT_SECONDS: {
      meaning: "Time limit to open a session, and for each batch of commands in it.",
      fallback: "30",
    },
    CONNECTIONS_PER_HOST: {
      meaning: "Concurrent connections to a mail host without its own profile; large providers have one.",
      fallback: "1",
    },
    ENGINE_THREADS: {
      meaning:
        "Threads for DNS and SMTP, 1 to 64, each with about 40 MB. Limits per mail host hold for all threads together. In the mailvet command 1 means no extra thread; in the service there is always one.",
      unset: "all cores but one, at most 16",
      example: "1",
    },
    SOURCE_ADDRESS: {
      meaning: "Source address of connections.",
      unset: "as the operating system routes",
      example: "192.0.2.10",
    },
    SOCKS_PROXY: {
      meaning: "A SOCKS5 proxy for connections.",
      example: "socks5://user:password@proxy.example.com:1080",
      isSecret: true,
    },
    EGRESS_FILE: {
      meaning:
        "Several source addresses or proxies, each with its own names and limits, instead of EHLO_NAME, MAIL_FROM, SOURCE_ADDRESS and SOCKS_PROXY: a JSON file (docs/egress.md).",
      example: "/etc/mailvet/egress.json",
    },
    PROCESS_NAME: {
      meaning: "What an identity in EGRESS_FILE names as its owner.",
      unset: "the host name",
      example: "worker-1",
    },
    SMTP_PORT: { meaning: "Another port than 25, for tests.", fallback: "25" },
    EGRESS_ALLOW: {
      meaning:
        "Private ranges that connections are allowed to, for tests. Also makes .test an ordinary domain.",
      example: "127.0.0.0/8",
    },
    OUTGOING_PORTS: {
      meaning:
        "Ports of public addresses that webhooks and links may use, over HTTPS: of 443, 80, 8080 and 8443. Ranges in EGRESS_ALLOW have every port.",
      fallback: "443",
      example: "443,8443",
    },
  },
  "AI enhancement (docs/ai.md)": {
    AI_ENHANCEMENT: {
      meaning: "off: no scoring of mailbox names, no learning of naming patterns, no language model.",
      fallback: "on",
    },
    AI_BASE_URL: {
      meaning:
        "An OpenAI-compatible endpoint for a second opinion where the local model is undecided. Requires AI_MODEL.",
      example: "https://models.example.com/v1",
    },
    AI_MODEL: { meaning: "The name of the model.", example: "small-model" },
    AI_API_KEY: { meaning: 'Sent as "Authorization: Bearer …".', unset: "no such header", isSecret: true },
    AI_TIMEOUT_SECONDS: {
      meaning: "Time limit of a request, at most 5. What takes longer is decided by the local model.",
      fallback: "3",
    },
    AI_DAILY_BUDGET: { meaning: "Mailbox names per day (UTC), across all processes.", fallback: "10000" },
    AI_SEND_DOMAIN: {
      meaning: "Mailbox names are sent without their domain, unless this is yes.",
      fallback: "no",
    },
  },
  "reference lists": {
    LISTS_DIR: {
      meaning: "Directory for refreshed lists. The service uses a newer list in it within an hour.",
      unset:
        "lists in DATA_DIR, or none with DATABASE_URL; for the command line ~/.local/share/mailvet/lists",
      example: "/var/lib/mailvet/lists",
    },
    LISTS_REFRESH: {
      meaning:
        "daily: the service downloads a newer list of disposable domains each day into LISTS_DIR. off: an installation makes no request to the web unless the operator enables it. A failed refresh changes nothing.",
      fallback: "off",
    },
    LISTS_SOURCES: {
      meaning:
        "Lists to use instead of the public ones, comma-separated http(s) URLs: one name per line, or JSON. For a mirror.",
      example: "https://mirror.example.com/disposable.txt",
    },
    LOCAL_LISTS: {
      meaning:
        'Your own file: lines "allow example.com" and "deny example.net"; any other line is an error at start.',
      example: "/etc/mailvet/lists.txt",
    },
  },
};

export const SETTINGS: Readonly<Record<string, Setting>> = Object.assign(
  {},
  ...Object.values(SETTING_SECTIONS),
);

export const SECRET_SETTINGS: ReadonlySet<string> = new Set(
  Object.keys(SETTINGS).filter((name) => SETTINGS[name]!.isSecret),
);
