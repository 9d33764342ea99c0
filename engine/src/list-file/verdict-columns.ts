/** The result columns that are appended to the customer's own. */
import type { ValidationResult } from "@mailvet/contract";
import { RESULT_COLUMNS, type ResultColumn } from "@mailvet/contract/words";

export type VerdictCells = Pick<Cells, ResultColumn>;

type Cells = {
  status: string;
  sub_status: string;
  confidence: number;
  is_valid: boolean;
  safe_to_send: boolean;
  score: number;
  suggestion: string | null;
  provider: string;
  is_catchall: boolean;
  is_disposable: boolean;
  is_role_based: boolean;
  is_free: boolean;
  smtp_code: number;
  checked_at: string;
  is_duplicate: boolean;
  reason: string;
  flags: readonly string[];
  mx_host: string;
  /** What the score of the mailbox name is based on. */
  ai_reasons: readonly string[];
  recommendation: string;
};

export const columnOf = (field: ResultColumn) => `mailvet_${field}`;

export const VERDICT_COLUMNS: readonly string[] = RESULT_COLUMNS.map(columnOf);

/** Marks simulated verdicts. */
export const SANDBOX_COLUMN = "mailvet_sandbox";

const APPENDED_COLUMNS: ReadonlySet<string> = new Set([...VERDICT_COLUMNS, SANDBOX_COLUMN]);

/** With several email columns, the verdicts on a further one. */
export const ofColumn = (resultColumn: string, emailColumn: string) => `${resultColumn} (${emailColumn})`;

/**
 * Numbers of the file's own columns. Those that an earlier check has appended are not among them: the new ones replace them.
 * Only exact names count, and no column whose emails are checked.
 */
export function ownColumns(
  { header, columns }: { header?: readonly string[] | null | undefined; columns: readonly string[] },
  emailColumns: readonly number[],
): number[] {
  const appended = new Set(APPENDED_COLUMNS);
  for (const name of APPENDED_COLUMNS) for (const column of columns) appended.add(ofColumn(name, column));
  return [...columns.keys()].filter(
    (number) => emailColumns.includes(number) || !appended.has(header?.[number]?.trim() ?? ""),
  );
}

/** The cells under the columns of these fields; all blank for a row without a verdict. */
export function verdictCells(
  verdict: Partial<VerdictCells> | undefined,
  fields: readonly ResultColumn[] = RESULT_COLUMNS,
): string[] {
  return fields.map((field) => String(verdictCell(verdict, field)));
}

/** Of a list: one text. */
export function verdictCell(
  verdict: Partial<VerdictCells> | undefined,
  field: ResultColumn,
): string | number | boolean {
  const value = verdict?.[field] ?? "";
  return typeof value === "object" ? value.join(" | ") : value;
}

/** Of the first row with this email. */
export function cellsOf({ details, catchall, metadata, ...result }: ValidationResult): VerdictCells {
  return {
    status: result.status,
    sub_status: result.sub_status,
    confidence: result.confidence,
    is_valid: result.is_valid,
    safe_to_send: result.safe_to_send,
    score: result.score,
    suggestion: result.suggestion,
    provider: details.provider,
    is_catchall: catchall.is_catchall,
    is_disposable: details.is_disposable,
    is_role_based: details.is_role_based,
    is_free: details.is_free,
    smtp_code: details.smtp_code,
    checked_at: new Date(metadata.checked_at * 1000).toISOString(),
    is_duplicate: false,
    reason: result.reason,
    flags: result.flags,
    mx_host: details.mx_host,
    ai_reasons: result.ai_enhancement.reasons,
    recommendation: result.recommendation,
  };
}
