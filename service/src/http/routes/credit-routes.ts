/**
 * GET /credits: balance and ledger; /credits/statement: the ledger in lines. GET /usage: verdicts and credits per day and key.
 * In test mode, its own figures (test-credits.ts).
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  Credits,
  CreditsQuery,
  Statement,
  StatementQuery,
  Usage,
  type UsageDay,
  UsageQuery,
} from "@mailvet/contract";
import { csvRecord } from "@mailvet/engine/list-file";
import type { FastifyReply } from "fastify";
import type { Caller } from "../../base/caller.ts";
import type { Ledger } from "../../credits/ledger.ts";
import type { LedgerLines, StatementFilter } from "../../credits/statement.ts";
import { testCredits } from "../../credits/test-credits.ts";
import type { UsageFilter } from "../../credits/usage.ts";
import { usageRange } from "../../credits/usage-range.ts";
import { pageHeaders } from "./pagination.ts";
import "../route-config.ts";

export type CreditRouteDeps = {
  ledger: Pick<Ledger, "page">;
  usageOf(accountId: string, wanted: UsageFilter): Promise<UsageDay[]>;
  statementOf(accountId: string, wanted: StatementFilter): Promise<LedgerLines>;
};

export const creditRoutes =
  (live: CreditRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const creditsOf = ({ isTest }: Caller): CreditRouteDeps => (isTest ? testCredits : live);

    app.get(
      "/credits",
      { schema: GET_CREDITS, config: { access: { scope: "read" } } },
      async (request, reply) => {
        const caller = request.caller!;
        const { ledger } = creditsOf(caller);
        const { balance, reserved, entries, total } = await ledger.page(caller.accountId, request.query);
        request.creditsRemaining = balance;
        pageHeaders(request, reply, { ...request.query, total });
        return { balance, reserved, ledger: entries };
      },
    );

    app.get("/credits/statement", { schema: GET_STATEMENT, config: TABLE }, async (request, reply) => {
      const { skip, limit, kind, format, ...wanted } = request.query;
      const range = usageRange(wanted, new Date());
      const caller = request.caller!;
      const filter = { ...range, kind, skip, limit };
      const { lines, total } = await creditsOf(caller).statementOf(caller.accountId, filter);
      pageHeaders(request, reply, { skip, limit, total });
      return format === "csv" ? sendCsv(reply, LINE_FIELDS, lines) : { ...range, lines };
    });

    app.get("/usage", { schema: GET_USAGE, config: TABLE }, async (request, reply) => {
      const { key_id: keyId, format, ...wanted } = request.query;
      const range = usageRange(wanted, new Date());
      const caller = request.caller!;
      const days = await creditsOf(caller).usageOf(caller.accountId, { ...range, keyId });
      return format === "csv" ? sendCsv(reply, DAY_FIELDS, days) : { ...range, days };
    });
  };

const TABLE = { access: { scope: "read" }, produces: ["application/json", "text/csv"] } as const;

const DAY_FIELDS = ["date", "key_id", "valid", "invalid", "risky", "unknown", "credits_used"] as const;
const LINE_FIELDS = [
  "kind",
  "date",
  "key_id",
  "reference",
  "entries",
  "charged",
  "refunded",
  "granted",
  "reserved",
  "last_at",
] as const;

function sendCsv<Field extends string>(
  reply: FastifyReply,
  fields: readonly Field[],
  rows: readonly Record<Field, string | number | null>[],
): never {
  const lines = rows.map((row) => csvRecord(fields.map((field) => row[field])));
  reply.type("text/csv; charset=utf-8; header=present");
  return reply.send(csvRecord(fields) + lines.join("")) as never;
}

const GET_STATEMENT = {
  operationId: "getStatement",
  tags: ["credits"],
  summary: "Retrieve a statement",
  description:
    "Returns the ledger in lines: one per job, one per day and key for single and bulk requests, one per grant. The entries behind a line: `GET /credits` with its `reference` or `date`. A range covers at most 366 days. With `format=csv`, a page of lines as CSV. Test mode has no lines.",
  querystring: StatementQuery,
  response: { 200: Statement },
};

const GET_CREDITS = {
  operationId: "getCredits",
  tags: ["credits"],
  summary: "Retrieve balance and ledger",
  description:
    "Returns the available balance, the credits reserved for running jobs, and a page of ledger entries. Test mode spends no credits: it has a fixed simulated balance and no entries.",
  querystring: CreditsQuery,
  response: { 200: Credits },
};

const GET_USAGE = {
  operationId: "getUsage",
  tags: ["credits"],
  summary: "Retrieve usage",
  description:
    "Returns the number of verdicts by status and the credits spent, per UTC day and API key. A range covers at most 366 days. `format=csv` returns the days as CSV. Test mode counts no usage.",
  querystring: UsageQuery,
  response: { 200: Usage },
};
