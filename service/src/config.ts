/** The service's settings, read once at start; everything below receives plain values. */
import { isIP } from "node:net";
import { join } from "node:path";
import { LIST_REFRESHES, MIN_PASSWORD_LENGTH, PLANS, type Plan } from "@mailvet/contract";
import { defaultDataDirectory } from "@mailvet/embedded-postgres";
import {
  type EngineSettings,
  type Environment,
  parseAddress,
  readEngineSettings,
  settingsFrom,
} from "@mailvet/engine";
import { accountEmail } from "./accounts/account-email.ts";
import { REQUIRE_TWO_FACTOR, type RequireTwoFactor } from "./accounts/sessions.ts";
import { SIGN_UP_MODES, type SignUpMode } from "./accounts/sign-up.ts";
import type { AdjudicatorSettings } from "./adjudication/adjudicator.ts";
import type { BlobConfig } from "./blobs/open-store.ts";
import type { S3Settings } from "./blobs/s3-store.ts";
import { UNKNOWN_REFUNDS, type UnknownRefund } from "./credits/refund-policy.ts";
import { isWellFormed } from "./keys/key-format.ts";
import { SECRET_SETTINGS } from "./settings-table.ts";
import type { ListRefreshSettings } from "./system/list-refresh.ts";
import type { UploadLimits } from "./uploads/uploads.ts";

export type Config = {
  /** What this process does: everything, or one part of a deployment on a shared database. */
  role: Role;
  host: string;
  port: number;
  /** A worker listens, for health checks and metrics, only when PORT is set. */
  listens: boolean;
  /** The address of the service as its users see it; undefined: the address it listens on. */
  publicUrl: string | undefined;
  /** Reverse proxies whose X-Forwarded-For is trusted, as addresses or ranges. */
  trustedProxies: string[];
  storage: StorageConfig;
  /** Where uploaded files are stored. */
  blobs: BlobConfig;
  /** Connections of the pool; up to four more are outside it. */
  poolSize: number;
  operator: OperatorConfig;
  requireTwoFactor: RequireTwoFactor;
  signUp: { mode: SignUpMode; domains: string[]; plan: Plan; credits: number };
  mail: MailConfig | undefined;
  log: { level: (typeof LOG_LEVELS)[number]; addresses: "masked" | "full" };
  metricsToken: string | undefined;
  /** Traces are exported; where to and how is read by the OpenTelemetry packages (otlp-tracing.ts). */
  exportsTraces: boolean;
  /** How long a stop may take before the process exits regardless (main.ts, which reads it from the environment). */
  stopTimeoutMs: number;
  /** How long a response may take; checks that are not done by then are reported as unknown. */
  budgets: { singleMs: number; bulkMs: number };
  /** A request that waited longer before it could begin is refused. */
  maxQueueDelayMs: number;
  jobs: JobsConfig;
  /** Which `unknown` verdicts are refunded. */
  unknownRefund: UnknownRefund;
  /** The longest that rows of a list wait for a provider that refuses this installation. */
  providerWaitMs: number;
  /** Once a day, about every egress identity. */
  asksBlocklists: boolean;
  /** Also answers at the paths, and in the shapes, of Reacher (http/routes/reacher/). */
  isReacherCompatible: boolean;
  auditRetentionDays: number;
  /** The language model for ambiguous names; undefined: none is used. */
  adjudicator: AdjudicatorSettings | undefined;
  lists: ListRefreshSettings;
  /** To which webhooks and links may connect at public addresses. */
  outgoingPorts: readonly number[];
  engine: EngineSettings;
};

const OF_DOMAINS = "domains:";

function readSignUp(text = "open"): { mode: SignUpMode; domains: string[] } {
  if (!text.startsWith(OF_DOMAINS)) return { mode: text as SignUpMode, domains: [] };
  const domains = text.slice(OF_DOMAINS.length).split(",");
  return {
    mode: "domains",
    domains: domains.map((domain) => accountEmail(`a@${domain.trim()}`).canonical.slice(2)),
  };
}

function isSignUp(text: string): boolean {
  const { mode, domains } = readSignUp(text);
  if (mode !== "domains") return SIGN_UP_MODES.includes(mode);
  return domains.length > 0 && domains.every((domain) => parseAddress(`a@${domain}`).ok);
}

export const ROLES = ["all", "api", "worker"] as const;
export type Role = (typeof ROLES)[number];

export type JobsConfig = UploadLimits & {
  /** How long rows and results are kept after a job has ended. */
  retentionDays: number;
  /** Slices that one process works on at a time. */
  workerSlots: number;
};

export type StorageConfig = ExternalStorage | EmbeddedStorage;

export type EmbeddedStorage = {
  dataDirectory: string;
  /** The directory of the programs initdb and postgres; without it they are chosen. */
  postgresBin?: string;
};

export type ExternalStorage = {
  databaseUrl: string;
  /** Bypasses a connection pooler in transaction mode that databaseUrl leads to. */
  directUrl?: string;
  /** A streaming replica for result pages, lists and downloads. */
  readUrl?: string;
};

export type OperatorConfig = {
  email: string;
  password: string | undefined;
  credits: number;
  apiKey: string | undefined;
};

/** The SMTP server for outgoing mail as smtp://user:password@host:port, and the sender address. */
export type MailConfig = { url: string; sender: string };

const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
const MOST_CREDITS = 1_000_000_000;

export function readConfig(env: Environment, cwd: string): Config {
  const read = settingsFrom(env, SECRET_SETTINGS);
  const credits = (name: string, fallback: number) =>
    read.integer(name, { fallback, min: 0, max: MOST_CREDITS });
  const storage = readStorage(read, cwd);
  const engine = readEngineSettings(read);
  if ("dataDirectory" in storage) engine.listsDirectory ??= join(storage.dataDirectory, "lists");
  const config: Config = {
    role: readRole(read),
    host: read.text("HOST") ?? "127.0.0.1",
    port: read.integer("PORT", { fallback: 8080, min: 0, max: 65_535 }),
    listens: read.text("ROLE") !== "worker" || read.text("PORT") !== undefined,
    publicUrl: read
      .matching("PUBLIC_URL", "an address such as https://mailvet.example.com", isPublicUrl)
      ?.replace(/\/+$/, ""),
    trustedProxies: read.list("TRUSTED_PROXIES", "an IP address or range", isAddressOrRange),
    storage,
    blobs: readBlobs(read, cwd),
    // A slot of a worker spends nearly all its time waiting for mail servers, without a connection.
    poolSize: read.integer("DATABASE_POOL_SIZE", {
      fallback: read.text("ROLE") === "worker" ? 6 : 16,
      min: 2,
      max: 500,
    }),
    operator: {
      email: read.matching("ADMIN_EMAIL", "an email address", isEmail) ?? "admin@localhost",
      password: read.secret(
        "ADMIN_PASSWORD",
        `${MIN_PASSWORD_LENGTH} characters or more`,
        (value) => value.length >= MIN_PASSWORD_LENGTH,
      ),
      credits: credits("ADMIN_CREDITS", 1_000_000),
      apiKey: read.secret("BOOTSTRAP_API_KEY", "20 to 512 ASCII characters", isWellFormed),
    },
    requireTwoFactor: read.oneOf("REQUIRE_TWO_FACTOR", { fallback: "off", choices: REQUIRE_TWO_FACTOR }),
    signUp: {
      ...readSignUp(read.matching("SIGN_UP", "open, closed, approval or domains:acme.com,…", isSignUp)),
      plan: read.oneOf("SIGN_UP_PLAN", { fallback: "free", choices: PLANS }),
      credits: credits("SIGN_UP_CREDITS", 100),
    },
    mail: readMail(read),
    log: {
      level: read.oneOf("LOG_LEVEL", { fallback: "info", choices: LOG_LEVELS }),
      addresses: read.oneOf("LOG_ADDRESSES", { fallback: "masked", choices: ["masked", "full"] }),
    },
    metricsToken: read.secret("METRICS_TOKEN", "16 characters or more", (value) => value.length >= 16),
    exportsTraces: readsTraces(read),
    stopTimeoutMs: read.seconds("STOP_TIMEOUT_SECONDS", { fallback: 9, max: 600 }) * 1000,
    // Below what proxies and HTTP clients usually put up with: 30 and 60 seconds.
    budgets: {
      singleMs: read.seconds("SINGLE_BUDGET_SECONDS", { fallback: 25, max: 600 }) * 1000,
      bulkMs: read.seconds("BULK_BUDGET_SECONDS", { fallback: 50, max: 600 }) * 1000,
    },
    maxQueueDelayMs: read.seconds("OVERLOAD_DELAY_SECONDS", { fallback: 2, max: 600 }) * 1000,
    jobs: {
      maxEmailsPerFile: read.integer("MAX_CSV_EMAILS", { fallback: 100_000, min: 1, max: 10_000_000 }),
      maxUploadBytes: read.integer("MAX_UPLOAD_MB", { fallback: 100, min: 1, max: 10_000 }) * 1024 * 1024,
      retentionDays: read.integer("RETENTION_DAYS", { fallback: 30, min: 1, max: 3650 }),
      workerSlots: read.integer("WORKER_SLOTS", { fallback: 16, min: 1, max: 100 }),
    },
    providerWaitMs: read.seconds("PROVIDER_WAIT_HOURS", { fallback: 12, max: 72, unit: "hours" }) * 3_600_000,
    asksBlocklists:
      read.oneOf("BLOCKLIST_CHECK", { fallback: "daily", choices: ["daily", "off"] }) === "daily",
    unknownRefund: read.oneOf("UNKNOWN_REFUND", { fallback: "own_fault", choices: UNKNOWN_REFUNDS }),
    isReacherCompatible:
      read.oneOf("REACHER_COMPATIBLE", { fallback: "no", choices: ["no", "yes"] }) === "yes",
    auditRetentionDays: read.integer("AUDIT_RETENTION_DAYS", { fallback: 365, min: 1, max: 3650 }),
    adjudicator: readAdjudicator(read),
    lists: readListRefresh(read, engine.listsDirectory),
    outgoingPorts: readOutgoingPorts(read),
    engine,
  };
  read.reportProblems();
  return config;
}

const OUTGOING_PORTS = ["443", "80", "8080", "8443"];

function readOutgoingPorts(read: Reader): number[] {
  const wanted = `some of ${OUTGOING_PORTS.join(", ")}`;
  const ports = read.list("OUTGOING_PORTS", wanted, (port) => OUTGOING_PORTS.includes(port));
  return ports.length > 0 ? ports.map(Number) : [443];
}

type Reader = ReturnType<typeof settingsFrom>;

/** Separate api and worker processes need a database that both can reach. */
function readRole(read: Reader): Role {
  const role = read.oneOf("ROLE", { fallback: "all", choices: ROLES });
  const isShared = read.text("DATABASE_URL") !== undefined;
  if (role !== "all" && !isShared) read.matching("ROLE", "DATABASE_URL to be set as well", () => false);
  return role;
}

function readStorage(read: Reader, cwd: string): StorageConfig {
  const url = (name: string) =>
    read.matching(name, "postgres://user:password@host:port/database", isDatabaseUrl);
  const databaseUrl = url("DATABASE_URL");
  const directUrl = url("DATABASE_DIRECT_URL");
  const readUrl = url("DATABASE_READ_URL");
  for (const name of ["DATABASE_DIRECT_URL", "DATABASE_READ_URL"]) {
    if (databaseUrl === undefined) read.matching(name, "DATABASE_URL to be set as well", () => false);
  }
  const postgresBin = read.text("POSTGRES_BIN");
  return databaseUrl
    ? { databaseUrl, ...(directUrl && { directUrl }), ...(readUrl && { readUrl }) }
    : { dataDirectory: readDataDirectory(read, cwd), ...(postgresBin && { postgresBin }) };
}

function readDataDirectory(read: Reader, cwd: string): string {
  return read.text("DATA_DIR") ?? defaultDataDirectory(cwd, "/var/lib/mailvet");
}

/** Files are in DATA_DIR, unless there is a bucket. Processes with separate roles must name what they share. */
function readBlobs(read: Reader, cwd: string): BlobConfig {
  const s3 = readS3(read);
  if (s3) return { s3 };
  const isSeparate = read.text("ROLE") !== undefined && read.text("ROLE") !== "all";
  if (isSeparate && read.text("DATABASE_URL") !== undefined && read.text("DATA_DIR") === undefined) {
    const shared = "DATA_DIR (a directory that all processes share) or S3_BUCKET to be set as well";
    read.matching("ROLE", shared, () => false);
  }
  return { directory: join(readDataDirectory(read, cwd), "blobs") };
}

const S3_SETTINGS = ["S3_BUCKET", "S3_ENDPOINT", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const;

/** All of them, or none. */
function readS3(read: Reader): S3Settings | undefined {
  const bucket = read.matching("S3_BUCKET", "the name of a bucket", isBucketName);
  const endpoint = read.matching("S3_ENDPOINT", "an address such as https://s3.example.com", isPublicUrl);
  const accessKeyId = read.secret("S3_ACCESS_KEY_ID", "1 to 1000 visible ASCII characters", isHeaderWord);
  const secretAccessKey = read.secret(
    "S3_SECRET_ACCESS_KEY",
    "1 to 1000 visible ASCII characters",
    isHeaderWord,
  );
  const region = read.matching("S3_REGION", "the name of a region", isRegionName) ?? "us-east-1";
  const isPathStyle = read.oneOf("S3_PATH_STYLE", { fallback: "yes", choices: ["no", "yes"] }) === "yes";
  const missing = S3_SETTINGS.filter((name) => read.text(name) === undefined);
  if (missing.length > 0) {
    for (const name of S3_SETTINGS) read.secret(name, `${missing.join(", ")} to be set as well`, () => false);
  }
  if (!bucket || !endpoint || !accessKeyId || !secretAccessKey) return undefined;
  return { bucket, endpoint, region, accessKeyId, secretAccessKey, isPathStyle };
}

function readMail(read: Reader): MailConfig | undefined {
  const url = read.matching("MAIL_URL", "smtp://user:password@host:port or smtps://…", isMailUrl);
  const sender = read.matching("MAIL_SENDER", "an email address", isEmail);
  return url === undefined ? undefined : { url, sender: sender ?? "mailvet@localhost" };
}

/** OTEL_SDK_DISABLED and OTEL_TRACES_EXPORTER=none turn traces off, as in every program with OpenTelemetry. */
function readsTraces(read: Reader): boolean {
  const endpoints = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"].map((name) =>
    read.matching(name, "an address such as http://collector.example.com:4318", isWebAddress),
  );
  if (read.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return false;
  return read.text("OTEL_TRACES_EXPORTER") !== "none" && endpoints.some((endpoint) => endpoint !== undefined);
}

/** Refreshed lists are stored beside the embedded database, or in LISTS_DIR. */
function readListRefresh(read: Reader, directory: string | undefined): ListRefreshSettings {
  const refresh = read.oneOf("LISTS_REFRESH", { fallback: "off", choices: LIST_REFRESHES });
  if (refresh === "daily" && directory === undefined)
    read.matching("LISTS_REFRESH", "LISTS_DIR to be set as well", () => false);
  const sources = read.list("LISTS_SOURCES", "an http or https address", isWebAddress);
  return { refresh, directory, sources };
}

/** A check waits no longer than this for an adjudication. */
const LONGEST_ADJUDICATION_SECONDS = 5;

/** A language model needs an address and a name. Other settings without these two are reported as a mistake. */
function readAdjudicator(read: Reader): AdjudicatorSettings | undefined {
  const baseUrl = read.matching(
    "AI_BASE_URL",
    "an address such as https://models.example.com/v1, without user, query or fragment",
    isPublicUrl,
  );
  const model = read.matching("AI_MODEL", "1 to 100 visible ASCII characters", isModelName);
  const apiKey = read.secret("AI_API_KEY", "1 to 1000 visible ASCII characters", isHeaderWord);
  const settings = {
    timeoutMs: read.seconds("AI_TIMEOUT_SECONDS", { fallback: 3, max: LONGEST_ADJUDICATION_SECONDS }) * 1000,
    questionsPerDay: read.integer("AI_DAILY_BUDGET", { fallback: 10_000, min: 1, max: 100_000_000 }),
    sendsDomain: read.oneOf("AI_SEND_DOMAIN", { fallback: "no", choices: ["no", "yes"] }) === "yes",
  };
  if (read.text("AI_BASE_URL") === undefined) {
    const isNone = () => false;
    read.matching("AI_MODEL", "AI_BASE_URL to be set as well", isNone);
    read.secret("AI_API_KEY", "AI_BASE_URL to be set as well", isNone);
  } else if (read.text("AI_MODEL") === undefined) {
    read.matching("AI_BASE_URL", "AI_MODEL to be set as well", () => false);
  }
  if (baseUrl === undefined || model === undefined) return undefined;
  return { baseUrl: baseUrl.replace(/\/+$/, ""), model, apiKey, ...settings };
}

function isPublicUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, search, hash, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && search + hash + username + password === "";
}

const isWebAddress = (value: string) => /^https?:\/\//.test(value) && URL.canParse(value);
const isDatabaseUrl = (value: string) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);
const isMailUrl = (value: string) => /^smtps?:\/\//.test(value) && URL.canParse(value);
const isModelName = (value: string) => /^[\x21-\x7e]{1,100}$/.test(value);
const isBucketName = (value: string) => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value);
const isRegionName = (value: string) => /^[a-z0-9-]{1,50}$/.test(value);
const isHeaderWord = (value: string) => /^[\x21-\x7e]{1,1000}$/.test(value);
const isEmail = (value: string) => /^[^\s@]+@[^\s@]+$/.test(value);

function isAddressOrRange(item: string): boolean {
  const [address = "", bits] = item.split("/", 2);
  const family = isIP(address);
  return (
    family !== 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
  );
}
