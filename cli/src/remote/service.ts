/** Connection to a Mailvet service: its command-line options, and error messages with advice. */
import { type Client, createClient, MailvetProblem, MailvetUnreachable } from "@mailvet/sdk";
import { type Command, CommanderError, Option } from "commander";
import { printable } from "../output/terminal.ts";

export type RemoteService = {
  url: string;
  client: Client;
  /** Turns a failure of the service into a ServiceFailure with advice; returns any other error unchanged. */
  explain: (error: unknown) => unknown;
};

/** A request to the service failed. The message is shown to the user. */
export class ServiceFailure extends Error {
  override readonly name = "ServiceFailure";
}

export type ServiceOptions = { service?: string; apiKey?: string };

export function addServiceOptions(command: Command): Command {
  return command
    .addOption(new Option("--service <url>", "URL of a Mailvet service to use").env("MAILVET_SERVICE"))
    .addOption(
      new Option(
        "--api-key <key>",
        "API key; other users of this machine can see a key given here, so prefer the variable",
      ).env("MAILVET_API_KEY"),
    );
}

/**
 * The one rule for where checks are made: at the service of --service or MAILVET_SERVICE, else on this machine.
 * Undefined when no service is configured.
 */
export function serviceFrom({ service: url, apiKey }: ServiceOptions): RemoteService | undefined {
  if (!url) return undefined;
  if (!/^https?:\/\//i.test(url)) throw badUsage("--service must start with http:// or https://");
  if (!apiKey) throw badUsage(`the service at ${url} needs an API key: set MAILVET_API_KEY`);
  return { url, client: clientOf(url, apiKey), explain: (error) => explain(url, error) };
}

function clientOf(baseUrl: string, apiKey: string): Client {
  try {
    return createClient({ baseUrl, apiKey });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw badUsage(error.message.replace(/^baseUrl/, "--service").replace(/^apiKey/, "the API key"));
  }
}

/** On standard error, before the first check, because a check from this machine uses its address. */
export function printPlace(service: RemoteService | undefined): void {
  process.stderr.write(`checking ${service ? `at ${printable(service.url)}` : "on this machine"}\n`);
}

/** For an option that only one of the two places has. Values from the environment may be meant for other commands. */
export function rejectIfTyped(command: Command, option: string, message: string): void {
  if (command.getOptionValueSource(option) === "cli") throw badUsage(message);
}

/** For commands that work only with a service. */
export function requireService(options: ServiceOptions): RemoteService {
  const service = serviceFrom(options);
  if (!service) throw badUsage("no service given: set --service URL or MAILVET_SERVICE");
  return service;
}

export function badUsage(message: string): CommanderError {
  return new CommanderError(2, "mailvet.service", message);
}

function explain(url: string, error: unknown): unknown {
  if (error instanceof MailvetProblem) {
    const advice = ADVICE[error.code]?.(error) ?? `see the service log for request ${error.requestId}`;
    return new ServiceFailure(failureText(`the service rejected the request: ${error.message}`, advice));
  }
  if (error instanceof MailvetUnreachable)
    return new ServiceFailure(failureText(`${url}: ${error.message}`, UNREACHABLE_ADVICE[error.reason]));
  if (error instanceof RangeError) return new ServiceFailure(printable(error.message)); // an ID that the SDK refuses
  return error;
}

function failureText(what: string, advice: string): string {
  return `${printable(what)}\n  → ${printable(advice)}`;
}

type Advice = (problem: MailvetProblem) => string;

const checkKey: Advice = () =>
  "check that MAILVET_API_KEY is a valid key that is neither revoked nor expired";
const tryLater: Advice = ({ retryAfterSeconds }) =>
  retryAfterSeconds === undefined ? "try again later" : `try again in ${retryAfterSeconds} s`;

const splitIt: Advice = ({ found, limit }) =>
  found !== undefined && limit !== undefined
    ? `found ${countOf(found)}, limit ${countOf(limit)}: split the file; the parts can run concurrently`
    : "split the file; the parts can run concurrently";
const checkFile: Advice = () => "check that this is the right file";
const saveAsCsv: Advice = () => "export the file as UTF-8 CSV";

/** Advice by problem code. */
const ADVICE: Readonly<Record<string, Advice>> = {
  missing_api_key: checkKey,
  invalid_api_key: checkKey,
  insufficient_credits: ({ required, available }) =>
    `${countOf(required)} credits are needed and ${countOf(available)} are available: add credits, or use a shorter list`,
  api_access_not_included: () =>
    "the plan of the account has no API access; ask your administrator to change it",
  insufficient_scope: () =>
    'create a key with the missing scope: "validate" for one address or domain, "bulk" for lists, "read" for jobs and results',
  operator_only: () => "use an operator key with the needed scope",
  rate_limited: tryLater,
  overloaded: tryLater,
  too_many_emails: splitIt,
  too_many_rows: splitIt,
  payload_too_large: splitIt,
  compression_bomb: () => "decompress the file first",
  unsupported_file: saveAsCsv,
  undecodable_file: () => "save the file again, CSV as UTF-8",
  not_a_table: () => "correct the file: a table with at most 65,536 characters per cell",
  empty_file: checkFile,
  sheet_not_found: () => "choose an existing sheet with --sheet",
  no_emails_found: checkFile, // of a column without emails, chooseColumn complains first
  email_column_not_found: () => "choose an existing column with --column",
  too_many_active_jobs: () => "wait for a job to finish, or cancel one: mailvet job list --status processing",
  too_many_uploads: () => "confirm an upload, or wait: unconfirmed uploads are deleted after a day",
  storage_full: () => "delete jobs you no longer need: mailvet job delete JOB",
  upload_expired: () => "upload the file again: mailvet job run FILE",
  job_not_found: () => "list your jobs: mailvet job list",
  list_not_found: () => "show your lists: mailvet list all",
  job_state_conflict: () => "check its status: mailvet job show ID",
  results_not_ready: () => "wait until it has finished: mailvet job show ID --wait",
  results_expired: () => "results are deleted after the retention period; check the file again",
  not_found: () => "check that this is the URL of a Mailvet service",
};

const UNREACHABLE_ADVICE: Record<MailvetUnreachable["reason"], string> = {
  no_connection: "check that the service is running and that --service or MAILVET_SERVICE is its URL",
  timeout: "the service may be overloaded, or a firewall drops the connection",
  redirected: "set --service or MAILVET_SERVICE to the URL it redirects to",
  invalid_response:
    "check that this is the URL of a Mailvet service, and that no proxy in front of it answers instead",
};

const countOf = (credits: number | undefined) => credits?.toLocaleString("en") ?? "more";
