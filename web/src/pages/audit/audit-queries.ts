/** Queries of the audit log: pages that follow each other. */
import type { AuditAction, AuditEntry, OperatorAuditEntry } from "@mailvet/contract";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { service } from "../../queries.ts";
import { messages } from "./messages.tsx";

export type ShownEntry = AuditEntry & Partial<Pick<OperatorAuditEntry, "account_email" | "actor_email">>;

/** As the URL has it. */
export type AuditFilters = {
  action?: AuditAction | undefined;
  from?: string | undefined;
  to?: string | undefined;
  accountId?: string | undefined;
};

export type AuditScope = "account" | "installation";

const PER_PAGE = 50;
const DAY = /^\d{4}-\d\d-\d\d$/;
export const ACCOUNT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Values that are not valid are left out: the URL may have been edited. */
export function filtersIn(search: Record<string, string | undefined>): AuditFilters {
  const { action = "", from = "", to = "", account = "" } = search;
  return {
    ...(action in messages.actions ? { action: action as AuditAction } : {}),
    ...(DAY.test(from) ? { from } : {}),
    ...(DAY.test(to) ? { to } : {}),
    ...(ACCOUNT_ID.test(account) ? { accountId: account } : {}),
  };
}

export const auditQuery = (scope: AuditScope, filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ["audit", scope, filters],
    queryFn: ({ pageParam: before }): Promise<ShownEntry[]> => {
      const page = { ...filters, before, limit: PER_PAGE };
      return scope === "account" ? service.audit.list(page) : service.operator.audit.list(page);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < PER_PAGE ? undefined : page.at(-1)?.id),
    placeholderData: keepPreviousData,
  });

/** For a link: the browser sends the session cookie. */
export function exportPath(scope: AuditScope, { accountId, ...filters }: AuditFilters): string {
  const given = Object.entries({ ...filters, account_id: accountId }).filter(
    ([, value]) => value !== undefined,
  );
  const query = new URLSearchParams(given as [string, string][]);
  return `/api/v1${scope === "account" ? "" : "/operator"}/audit/export?${query}`;
}
