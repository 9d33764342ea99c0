/** The audit log: entries of the signed-in account, or of all accounts for operators. */
import type { AuditAction, AuditEntry, OperatorAuditEntry } from "@mailvet/contract";
import type { Requests } from "./requests.ts";
import type { CallOptions, OpenStream } from "./transport.ts";

export type AuditMethods<Query, Entry> = {
  /** A page, newest first. The next page begins `before` the id of its last entry. */
  list(query?: Query & AuditPageQuery, options?: CallOptions): Promise<Entry[]>;
  /** All entries as CSV; `body` of the response is a stream. */
  export(query?: Query, options?: CallOptions): Promise<Response>;
};

/** Days such as 2026-01-31, in UTC, inclusive. */
export type AuditListFilter = {
  action?: AuditAction | undefined;
  from?: string | undefined;
  to?: string | undefined;
};
export type AuditPageQuery = { before?: string | undefined; limit?: number | undefined };
export type OperatorAuditFilter = AuditListFilter & { accountId?: string | undefined };

export type OwnAuditMethods = AuditMethods<AuditListFilter, AuditEntry>;
export type OperatorAuditMethods = AuditMethods<OperatorAuditFilter, OperatorAuditEntry>;

export function auditMethods<Entry>(
  requests: Requests,
  open: OpenStream,
  path: string,
): AuditMethods<OperatorAuditFilter, Entry> {
  const queryOf = ({ accountId, ...query }: OperatorAuditFilter & AuditPageQuery) => ({
    account_id: accountId,
    ...query,
  });
  return {
    list: (query = {}, options) => requests.get(path, { query: queryOf(query), ...options }),
    export: (query = {}, options) =>
      open({ method: "GET", path: `${path}/export`, query: queryOf(query), accept: "text/csv", ...options }),
  };
}
