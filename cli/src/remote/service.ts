/** A Mailvet service elsewhere: how it is named on the command line, and what to do when it fails. */
import { type Client, createClient, MailvetProblem, MailvetUnreachable } from "@mailvet/sdk";
import { type Command, CommanderError, Option } from "commander";
import { printable } from "../output/terminal.ts";

export type Service = {
  client: Client;
  /** A failure of the service in words that say what to do; any other error as it is. */
  explain: (error: unknown) => unknown;
};

/** The service did not do what was asked. The message is for people. */
export class ServiceFailure extends Error {
  override readonly name = "ServiceFailure";
}

export type ServiceOptions = { service?: string; apiKey?: string };

export function addServiceOptions(command: Command): Command {
  return command
    .addOption(new Option("--service <url>", "ask the service at this address").env("MAILVET_SERVICE"))
    .addOption(
      new Option(
        "--api-key <key>",
        "the key to ask it with; others on this machine can see a key given here, so better set the variable",
      ).env("MAILVET_API_KEY"),
    );
}

/** The service that was named; undefined when none was. */
export function serviceFrom({ service: url, apiKey }: ServiceOptions): Service | undefined {
  if (!url) return undefined;
  if (!/^https?:\/\//i.test(url)) throw badUsage("--service must begin with http:// or https://");
  if (!apiKey) throw badUsage(`the service at ${url} asks for an API key: set MAILVET_API_KEY`);
  return { client: clientOf(url, apiKey), explain: (error) => explain(url, error) };
}

function clientOf(baseUrl: string, apiKey: string): Client {
  try {
    return createClient({ baseUrl, apiKey });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw badUsage(error.message.replace(/^baseUrl/, "--service").replace(/^apiKey/, "the API key"));
  }
}

export function badUsage(message: string): CommanderError {
  return new CommanderError(2, "mailvet.service", message);
}

function explain(url: string, error: unknown): unknown {
  if (error instanceof MailvetProblem) {
    const advice = ADVICE[error.code]?.(error) ?? `the service's log has more under ${error.requestId}`;
    return new ServiceFailure(failureText(`the service says: ${error.message}`, advice));
  }
  if (error instanceof MailvetUnreachable)
    return new ServiceFailure(failureText(`${url}: ${error.message}`, UNREACHABLE_ADVICE[error.reason]));
  return error;
}

function failureText(what: string, advice: string): string {
  return `${printable(what)}\n  → ${printable(advice)}`;
}

type Advice = (problem: MailvetProblem) => string;

const checkKey: Advice = () =>
  "see that MAILVET_API_KEY holds a key that is neither mistyped, revoked nor expired";
const comeBack: Advice = ({ retryAfterSeconds }) =>
  retryAfterSeconds === undefined ? "try again later" : `try again in ${retryAfterSeconds} s`;

const splitIt: Advice = ({ found, limit }) =>
  found !== undefined && limit !== undefined
    ? `there are ${countOf(found)} and may be ${countOf(limit)}: split the file; the parts may run at the same time`
    : "split the file; the parts may run at the same time";
const saveAsCsv: Advice = () => "save it as CSV in UTF-8 from the program it comes from";

/** What can be done about a problem, by its code. */
const ADVICE: Readonly<Record<string, Advice>> = {
  missing_api_key: checkKey,
  invalid_api_key: checkKey,
  insufficient_credits: ({ required, available }) =>
    `${countOf(required)} credits were needed and ${countOf(available)} are there: get more, or give a shorter list`,
  api_access_not_included: () => "the account's plan has no API access; its operator can change the plan",
  insufficient_scope: () =>
    'make a key with the scope that is missing: "validate" for one address, "bulk" for lists, "read" for the account',
  rate_limited: comeBack,
  overloaded: comeBack,
  too_many_emails: splitIt,
  too_many_rows: splitIt,
  payload_too_large: splitIt,
  compression_bomb: () => "unpack the file and give the table that is in it",
  unsupported_file: saveAsCsv,
  undecodable_file: saveAsCsv,
  not_a_table: saveAsCsv,
  empty_file: () => "is it the right file?",
  no_emails_found: () => "name the column with --column, if the emails are in another one",
  email_column_not_found: () => "name one of the file's columns with --column",
  too_many_active_jobs: () =>
    "wait for one of them to end, or cancel one: mailvet job list --status processing",
  too_many_uploads: () => "confirm or wait: what nobody confirms is erased after a day",
  upload_expired: () => "upload the file again: mailvet job run FILE",
  job_not_found: () => "see the account's jobs: mailvet job list",
  job_state_conflict: () => "see how far it is: mailvet job show ID",
  results_not_ready: () => "wait for its end: mailvet job show ID --wait",
  results_expired: () => "they were erased when their time was over; the file has to be checked again",
  not_found: () => "is that the address of a Mailvet service?",
};

const UNREACHABLE_ADVICE: Record<MailvetUnreachable["reason"], string> = {
  no_connection: "see that the service runs and that --service or MAILVET_SERVICE is its address",
  timeout: "the service may be very busy, or something between here and there swallows connections",
  redirected: "give the address it leads to with --service or MAILVET_SERVICE",
  odd_answer:
    "is that the address of a Mailvet service? A proxy in front of it may also have answered for it",
};

const countOf = (credits: number | undefined) => credits?.toLocaleString("en") ?? "more";
