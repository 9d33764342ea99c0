/** The result columns that are appended to the customer's own. */

export type VerdictCells = {
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
  recommendation: string;
};

const FIELDS = [
  "status",
  "sub_status",
  "confidence",
  "is_valid",
  "safe_to_send",
  "score",
  "suggestion",
  "provider",
  "is_catchall",
  "is_disposable",
  "is_role_based",
  "is_free",
  "smtp_code",
  "checked_at",
  "is_duplicate",
  "recommendation",
] as const satisfies readonly (keyof VerdictCells)[];

export const VERDICT_COLUMNS: readonly string[] = FIELDS.map((field) => `mailvet_${field}`);

/** The cells under VERDICT_COLUMNS; all blank for a row without a verdict. */
export function verdictCells(verdict: VerdictCells | undefined): string[] {
  return FIELDS.map((field) => String(verdict?.[field] ?? ""));
}
