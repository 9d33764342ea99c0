/**
 * Suspending, resuming, re-addressing, erasing and exporting an account, by the operator; exporting and closing one's own,
 * with the password asked again.
 */
import type { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  AccountExport,
  AccountExportQuery,
  AccountProof,
  ChangeEmailRequest,
  EmailChange,
  EraseAccountRequest,
  ExportProgress,
  OperatorAccount,
  SuspendAccountRequest,
} from "@mailvet/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Accounts } from "../../accounts/accounts.ts";
import { type PresentAccount, presentListed } from "../../accounts/present-account.ts";
import { recordAudit } from "../../audit/audit-writer.ts";
import type { Log } from "../../base/log.ts";
import { Refusal, wrongValue } from "../../base/refusal.ts";
import type { Database } from "../../db/database.ts";
import type { ExportFile, ExportFiles } from "../../lifecycle/export-files.ts";
import type { Lifecycle } from "../../lifecycle/lifecycle.ts";
import { createDownloads } from "../downloads.ts";
import type { SessionCookie } from "../middleware/session-cookie.ts";
import { actorOf } from "../request-actor.ts";
import { shutdownSignal } from "../shutdown-signal.ts";
import { AccountId, protectOperators } from "./operator-routes.ts";
import { signedInCaller } from "./second-factor-routes.ts";
import "../route-config.ts";

export type LifecycleRouteDeps = {
  database: Pick<Database, "pool">;
  accounts: Pick<
    Accounts,
    "findListed" | "changeEmail" | "requireProof" | "createExportToken" | "checkExportToken"
  >;
  presentAccount: PresentAccount;
  lifecycle: Lifecycle;
  exportFiles: Pick<ExportFiles, "begin" | "wait" | "read">;
  cookie: SessionCookie;
  log: Pick<Log, "event">;
};

export const lifecycleRoutes =
  (deps: LifecycleRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { accounts, lifecycle, exportFiles } = deps;
    app.addHook("preHandler", protectOperators(accounts));
    const downloads = createDownloads(app, deps.log);
    const show = async (accountId: string) =>
      presentListed(deps.presentAccount, await accounts.findListed(accountId));
    const stopping = shutdownSignal(app);

    /** Waits for the file for a while. Undefined: there is none. */
    const untilWritten = async (request: FastifyRequest, accountId: string) => {
      const refused = new AbortController();
      const unfollow = request.onCredentialEnd((refusal) => refused.abort(refusal));
      const signal = AbortSignal.any([stopping, refused.signal]);
      const file = await exportFiles.wait(accountId, signal);
      unfollow();
      signal.throwIfAborted();
      return file;
    };

    const sendExport = async (request: FastifyRequest, reply: FastifyReply, file: ExportFile) => {
      const { accountId, sizeBytes, createdAt } = file;
      if (!file.expiresAt)
        return reply
          .code(202)
          .header("retry-after", "1")
          .send({
            state: "preparing" as const,
            size_bytes: sizeBytes,
            created_at: createdAt.toISOString(),
          });
      return downloads.send(request, reply, async () => {
        const { email } = await accounts.findListed(accountId);
        if (request.method !== "HEAD")
          await recordAudit(deps.database.pool, actorOf(request), { action: "account.exported", accountId });
        return { filename: `mailvet-${email}.zip`, contentType: ZIP, content: exportFiles.read(file) };
      });
    };

    app.post(
      "/operator/accounts/:account_id/suspend",
      {
        schema: SUSPEND_ACCOUNT,
        config: {
          access: { operator: "accounts:write" },
          problems: ["account_not_found", "operator_protected"],
        },
      },
      async (request) => {
        const { account_id: accountId } = request.params;
        await lifecycle.suspend(actorOf(request), accountId, reasonOf(request.body));
        return show(accountId);
      },
    );

    app.post(
      "/operator/accounts/:account_id/resume",
      {
        schema: RESUME_ACCOUNT,
        config: {
          access: { operator: "accounts:write" },
          problems: ["account_not_found", "operator_protected"],
        },
      },
      async (request) => {
        await lifecycle.resume(actorOf(request), request.params.account_id);
        return show(request.params.account_id);
      },
    );

    app.post(
      "/operator/accounts/:account_id/email",
      {
        schema: CHANGE_EMAIL,
        config: {
          access: { operator: "accounts:write" },
          problems: ["account_not_found", "email_taken", "operator_protected"],
        },
      },
      async (request) => {
        const status = await accounts.changeEmail(request.params.account_id, request.body, actorOf(request));
        return { status, account: await show(request.params.account_id) };
      },
    );

    app.post(
      "/operator/accounts/:account_id/end-sessions",
      {
        schema: END_SESSIONS,
        config: {
          access: { operator: "accounts:write" },
          problems: ["account_not_found", "operator_protected"],
        },
      },
      async (request, reply) => {
        await lifecycle.endSessions(actorOf(request), request.params.account_id);
        return reply.code(204).send(null);
      },
    );

    app.post(
      "/operator/accounts/:account_id/erase",
      {
        schema: ERASE_ACCOUNT,
        config: {
          access: { operator: "accounts:erase" },
          problems: ["account_not_found", "operator_protected"],
        },
      },
      async (request, reply) => {
        const confirmation = { email: request.body.email, reason: reasonOf(request.body) };
        const account = await show(request.params.account_id);
        await lifecycle.erase(actorOf(request), request.params.account_id, confirmation);
        return reply.code(202).send({ ...account, state: "erasing" as const });
      },
    );

    app.get(
      "/operator/accounts/:account_id/export",
      {
        schema: EXPORT_ACCOUNT,
        config: {
          access: { operator: "accounts:export" },
          problems: ["account_not_found", "operator_protected"],
          produces: [ZIP],
        },
      },
      async (request, reply) => {
        const { account_id: accountId } = request.params;
        await accounts.findListed(accountId);
        await exportFiles.begin(accountId, CURRENT_MS);
        const file = await untilWritten(request, accountId);
        if (!file)
          throw new Refusal("overloaded", EXPORT_FAILED, { retryAfterSeconds: FAILED_RETRY_SECONDS });
        return sendExport(request, reply, file);
      },
    );

    app.post(
      "/account/export",
      {
        schema: BEGIN_EXPORT,
        // The response has a secret, which must not be stored for a replay.
        config: { access: "session", problems: PROOF_PROBLEMS, idempotency: false },
      },
      async (request, reply) => {
        const { accountId } = request.caller!;
        await accounts.requireProof(signedInCaller(request), request.body);
        const { token, expiresAt } = await accounts.createExportToken(accountId);
        await exportFiles.begin(accountId);
        return reply.code(202).send({ token, expires_at: expiresAt.toISOString() });
      },
    );

    app.get(
      "/account/export",
      {
        schema: DOWNLOAD_EXPORT,
        config: { access: "session", problems: ["link_expired"], produces: [ZIP] },
      },
      async (request, reply) => {
        const { accountId } = request.caller!;
        await accounts.checkExportToken(accountId, request.query.token);
        const file = await untilWritten(request, accountId);
        if (!file) throw new Refusal("link_expired", "The export has expired or failed. Begin another one.");
        return sendExport(request, reply, file);
      },
    );

    app.post(
      "/account/close",
      {
        schema: CLOSE_ACCOUNT,
        // Stored responses are deleted with the account.
        config: {
          access: "session",
          problems: [...PROOF_PROBLEMS, "operator_protected"],
          idempotency: false,
        },
      },
      async (request, reply) => {
        const { accountId } = request.caller!;
        await accounts.requireProof(signedInCaller(request), request.body);
        await lifecycle.close(actorOf(request), accountId);
        deps.cookie.clear(reply);
        return reply.code(204).send(null);
      },
    );
  };

const ZIP = "application/zip";
/** The operator gets a file of the last hour again. */
const CURRENT_MS = 3_600_000;
const EXPORT_FAILED =
  "The export has failed. A dead letter has the error. The next request begins another one.";
/** More than the SDK waits: a program is to decide whether it begins another one. */
const FAILED_RETRY_SECONDS = 300;
const ZipFile = Type.Unsafe<Readable>({ type: "string", description: "The ZIP file, as an attachment." });
const EXPORT_CONTENT =
  "Returns a ZIP file with everything the account has except secrets: `account.json`, `sessions.json`, `passkeys.json`, `keys.json`, `webhooks.json`, `deliveries.ndjson`, `waiting-checks.json` (single checks that wait for a retry), `notifications.json`, `lists.json`, `usage.csv`, `ledger.csv`, `outcomes.json`, `audit.ndjson`, `jobs.json`, the results of each job in `results/`, and uploads that wait for confirmation in `uploads.json` and `uploads/`. A task writes it; while it does, the answer is 202 with its progress, after up to 20 seconds: repeat the request until the answer is 200.";
const PROOF_PROBLEMS = ["wrong_credentials", "two_factor_required"] as const;
const Done = Type.Null({ description: "Done." });

function reasonOf({ reason }: { reason: string }): string {
  const text = reason.trim();
  if (text.includes("\0")) throw wrongValue("/reason", "Reason must not contain NUL characters.");
  if (text === "") throw wrongValue("/reason", "Reason must not be blank.");
  return text;
}

const tags = ["operator"];

const SUSPEND_ACCOUNT = {
  operationId: "suspendAccount",
  tags,
  summary: "Suspend an account",
  description:
    "Refuses its API keys, sessions and sign-in with `account_suspended` and ends its open streams, in all processes within a second. Queued and running jobs are paused; webhook deliveries are held. Nothing is deleted. The owner is told by email. Safe to repeat, which changes the reason. The last operator and the caller's own account can't be suspended.",
  params: AccountId,
  body: SuspendAccountRequest,
  response: { 200: OperatorAccount },
};

const RESUME_ACCOUNT = {
  operationId: "resumeAccount",
  tags,
  summary: "Resume a suspended account",
  description:
    "Admits its keys and sessions again, continues the jobs that the suspension paused, and sends the held webhook deliveries. Jobs that were paused before stay paused. Safe to repeat.",
  params: AccountId,
  response: { 200: OperatorAccount },
};

const CHANGE_EMAIL = {
  operationId: "changeEmail",
  tags,
  summary: "Change the email of an account",
  description:
    "Sends a link to the new address, which changes the email when it is opened; or, with `confirm: false`, changes it at once. The owner is told at both addresses. Sessions and keys stay valid; links sent to the old address do not.",
  params: AccountId,
  body: ChangeEmailRequest,
  response: { 200: EmailChange },
};

const END_SESSIONS = {
  operationId: "endSessionsOfAccount",
  tags,
  summary: "End all sessions of an account",
  description: "Signs the owner out of all browsers. API keys stay valid.",
  params: AccountId,
  response: { 204: Done },
};

const ERASE_ACCOUNT = {
  operationId: "eraseAccount",
  tags,
  summary: "Erase an account",
  description:
    "Deletes the account with everything it has: jobs, files, results, keys, webhooks, ledger and usage. This can't be undone. Its keys and sessions are refused at once, and the request is answered; the account has the state `erasing` until all is deleted, and is not found from then on. The last operator and the caller's own account can't be erased.",
  params: AccountId,
  body: EraseAccountRequest,
  response: { 202: OperatorAccount },
};

const EXPORT_ACCOUNT = {
  operationId: "exportAccountById",
  tags,
  summary: "Export an account",
  description: `${EXPORT_CONTENT} The first request begins it; a file of the last hour is sent again. It is deleted after a day. When the task fails, the answer is 503; the next request begins another one.`,
  params: AccountId,
  response: { 200: ZipFile, 202: ExportProgress },
};

const BEGIN_EXPORT = {
  operationId: "beginExport",
  tags: ["account"],
  summary: "Begin an export of your account",
  description:
    "Asks for the password again, and for the code where two-factor sign-in is enabled. A task then writes the file, unless one is being written. Returns a token with which it can be downloaded for a day; then it is deleted.",
  body: AccountProof,
  response: { 202: AccountExport },
};

const DOWNLOAD_EXPORT = {
  operationId: "downloadExport",
  tags: ["account"],
  summary: "Download an export of your account",
  description: EXPORT_CONTENT,
  querystring: AccountExportQuery,
  response: { 200: ZipFile, 202: ExportProgress },
};

const CLOSE_ACCOUNT = {
  operationId: "closeAccount",
  tags: ["account"],
  summary: "Close your account",
  description:
    "Deletes your account with everything it has: there is no way back, so export it first. Its keys and sessions end at once; deleting a lot of data takes minutes. Asks for the password again, and for the code where two-factor sign-in is enabled. The last operator can't close their account.",
  body: AccountProof,
  response: { 204: Type.Null({ description: "Deleted." }) },
};
