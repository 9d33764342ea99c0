/** Turns an error of the start into a message for the person at the terminal, naming the settings that help. */
import { EmbeddedPostgresError, type Remedy } from "@mailvet/embedded-postgres";
import { BadSettings } from "@mailvet/engine";
import { stackOf } from "./base/error-chain.ts";
import { BlobStoreUnavailable } from "./blobs/blob-error.ts";
import { WrongBlobStore } from "./blobs/claimed-store.ts";
import { DatabaseUnreachable } from "./database-storage.ts";
import { DumpError } from "./db/dump.ts";
import { NewerSchema } from "./db/migrate.ts";

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program, or another Mailvet, listens there: set PORT to a free port",
  EACCES: "ports below 1024 are for privileged users: set PORT to a higher one",
  EADDRNOTAVAIL: "this machine does not have that address: set HOST to one of its own",
};

const REMEDIES: Readonly<Record<Remedy, string>> = {
  other_directory: "set DATA_DIR to another directory, such as /var/lib/mailvet",
  other_server: "set DATABASE_URL to a PostgreSQL server",
  other_user: "start the service as an ordinary user",
  same_version: "set POSTGRES_BIN to the directory of its programs, such as /usr/lib/postgresql/17/bin",
  move_data:
    "export the data where that version is (npm run db -- export) and import it into an empty directory (docs/operating.md)",
};

/** Their messages are complete sentences for the operator; any other error is shown with its stack. */
const EXPECTED_ERRORS = [
  BadSettings,
  DatabaseUnreachable,
  NewerSchema,
  DumpError,
  WrongBlobStore,
  BlobStoreUnavailable,
];

export function startErrorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof EmbeddedPostgresError) return withRemedies(error);
  const listenError = LISTEN_ERRORS["code" in error ? String(error.code) : ""];
  if (listenError) return `${error.message}; ${listenError}`;
  const isExpected = EXPECTED_ERRORS.some((kind) => error instanceof kind);
  return isExpected ? error.message : stackOf(error);
}

function withRemedies({ message, remedies }: EmbeddedPostgresError): string {
  if (remedies.length === 0) return message;
  const [first = "", ...others] = remedies.map((remedy) => REMEDIES[remedy]);
  return `${message} To continue, ${[first, ...others].join(", or ")}.`;
}
