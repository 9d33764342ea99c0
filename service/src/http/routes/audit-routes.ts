/** /audit: the audit log of the account, for its owner. /operator/audit: that of all accounts. Each also as CSV. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  type AuditEntry,
  AuditExportQuery,
  AuditList,
  AuditQuery,
  OperatorAuditExportQuery,
  OperatorAuditList,
  OperatorAuditQuery,
} from "@mailvet/contract";
import { csvRecord } from "@mailvet/engine/list-file";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Accounts } from "../../accounts/accounts.ts";
import { type AuditFilter, type AuditLog, forOwner } from "../../audit/audit-log.ts";
import { recordAudit } from "../../audit/audit-writer.ts";
import type { Log } from "../../base/log.ts";
import type { Database } from "../../db/database.ts";
import { createDownloads } from "../downloads.ts";
import { actorOf } from "../request-actor.ts";
import { entryPageHeaders } from "./pagination.ts";
import "../route-config.ts";

export type AuditRouteDeps = {
  database: Pick<Database, "pool">;
  auditLog: Pick<AuditLog, "page" | "all">;
  accounts: Pick<Accounts, "emailsOf">;
  log: Pick<Log, "event">;
};

export const auditRoutes =
  ({ database, auditLog, accounts, log }: AuditRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const downloads = createDownloads(app, log);

    /** With the emails of the accounts, which entries do not have. */
    const withEmails = async (entries: AuditEntry[]) => {
      const ids = entries.flatMap(({ account_id, actor }) => [account_id, actor.account_id]);
      const emails = await accounts.emailsOf([...new Set(ids.filter((id) => id !== null))]);
      const emailOf = (id: string | null) => emails.get(id ?? "") ?? null;
      return entries.map((entry) => ({
        ...entry,
        account_email: emailOf(entry.account_id),
        actor_email: emailOf(entry.actor.account_id),
      }));
    };

    const sendExport = (
      request: FastifyRequest,
      reply: FastifyReply,
      filter: AuditFilter,
      present: (entries: AuditEntry[]) => Promise<Exported[]>,
    ) =>
      downloads.send(request, reply, async () => {
        if (request.method !== "HEAD") {
          const { accountId } = filter;
          await recordAudit(database.pool, actorOf(request), { action: "audit.exported", accountId });
        }
        return {
          content: csvOf(auditLog.all(filter), present),
          contentType: "text/csv; charset=utf-8; header=present",
          filename: "audit-log.csv",
        };
      });

    app.get("/audit", { schema: LIST_AUDIT, config: { access: "session" } }, async (request, reply) => {
      const { accountId } = request.caller!;
      const entries = await auditLog.page({ ...request.query, accountId });
      entryPageHeaders(request, reply, { entries, limit: request.query.limit });
      return entries.map(forOwner);
    });

    app.get(
      "/audit/export",
      { schema: EXPORT_AUDIT, config: { access: "session", produces: ["text/csv"] } },
      async (request, reply) => {
        const { accountId } = request.caller!;
        const present = async (entries: AuditEntry[]) => entries.map(forOwner);
        return sendExport(request, reply, { ...request.query, accountId }, present);
      },
    );

    app.get(
      "/operator/audit",
      { schema: LIST_ALL_AUDIT, config: { access: { operator: "audit:read" } } },
      async (request, reply) => {
        const { account_id: accountId, ...query } = request.query;
        const entries = await auditLog.page({ ...query, accountId });
        entryPageHeaders(request, reply, { entries, limit: query.limit });
        return withEmails(entries);
      },
    );

    app.get(
      "/operator/audit/export",
      { schema: EXPORT_ALL_AUDIT, config: { access: { operator: "audit:read" }, produces: ["text/csv"] } },
      async (request, reply) => {
        const { account_id: accountId, ...filters } = request.query;
        return sendExport(request, reply, { ...filters, accountId }, withEmails);
      },
    );
  };

type Exported = AuditEntry & { account_email?: string | null; actor_email?: string | null };

const COLUMNS: readonly (readonly [string, (entry: Exported) => string | boolean | null | undefined])[] = [
  ["created_at", (entry) => entry.created_at],
  ["action", (entry) => entry.action],
  ["account_id", (entry) => entry.account_id],
  ["account_email", (entry) => entry.account_email],
  ["actor_kind", ({ actor }) => actor.kind],
  ["actor_account_id", ({ actor }) => actor.account_id],
  ["actor_email", (entry) => entry.actor_email],
  ["key_id", ({ actor }) => actor.key_id],
  ["session_id", ({ actor }) => actor.session_id],
  ["is_operator", ({ actor }) => actor.is_operator],
  ["network", (entry) => entry.network],
  ["subject_id", (entry) => entry.subject_id],
  ["details", ({ details }) => (Object.keys(details).length > 0 ? JSON.stringify(details) : "")],
  ["id", (entry) => entry.id],
];

async function* csvOf(
  batches: AsyncIterable<AuditEntry[]>,
  present: (entries: AuditEntry[]) => Promise<Exported[]>,
): AsyncGenerator<string> {
  yield csvRecord(COLUMNS.map(([name]) => name));
  for await (const batch of batches) {
    const lines = (await present(batch)).map((entry) =>
      csvRecord(COLUMNS.map(([, cellOf]) => cellOf(entry))),
    );
    yield lines.join("");
  }
}

const EXPORTED = {
  200: Type.Unsafe<FastifyReply>({ type: "string", description: "The file, as an attachment." }),
};
const PAGES =
  "Newest first. For the next page, follow the `Link` header or send the `id` of the last entry as `before`.";
const CSV = "Returns the same entries as one CSV file, newest first. The export is recorded itself.";

const LIST_AUDIT = {
  operationId: "listAudit",
  tags: ["audit"],
  summary: "List the audit log",
  description: `Returns who did what to your account, when, and from which network. ${PAGES} Of an operator's actions the operator's account and network are not shown.`,
  querystring: AuditQuery,
  response: { 200: AuditList },
};

const EXPORT_AUDIT = {
  operationId: "exportAudit",
  tags: ["audit"],
  summary: "Export the audit log",
  description: CSV,
  querystring: AuditExportQuery,
  response: EXPORTED,
};

const LIST_ALL_AUDIT = {
  operationId: "listAllAudit",
  tags: ["operator"],
  summary: "List the audit log of all accounts",
  description: `Returns the entries of all accounts, or of one. ${PAGES}`,
  querystring: OperatorAuditQuery,
  response: { 200: OperatorAuditList },
};

const EXPORT_ALL_AUDIT = {
  operationId: "exportAllAudit",
  tags: ["operator"],
  summary: "Export the audit log of all accounts",
  description: CSV,
  querystring: OperatorAuditExportQuery,
  response: EXPORTED,
};
