/**
 * Tables and JSON of the documentation that are made from the code: `npm run docs:tables` writes them, docs.test.ts compares
 * them.
 *
 * A table is between `<!-- table NAME -->` and `<!-- /table -->` of any Markdown file under docs/. Where TABLES has fewer
 * columns than the header in the file, the last columns are written by hand and kept by the first cell of their row. The JSON
 * block after `<!-- webhook EVENT -->` is the message of that event in the OpenAPI document.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PlanLimits } from "../contract/src/accounts.ts";
import { AUDIT_ACTIONS } from "../contract/src/audit-actions.ts";
import { PROBLEM_CODES, PROBLEMS } from "../contract/src/problems.ts";
import { recommendationOf, type Status, SUB_STATUSES, type SubStatus } from "../contract/src/verdict.ts";
import { WEBHOOK_EVENTS } from "../contract/src/webhooks.ts";
import { PLANS, RESULT_COLUMNS } from "../contract/src/words.ts";
import type { Evidence } from "../engine/src/evidence.ts";
import { reasonOf } from "../engine/src/reason/reason.ts";
import { SCORE_BANDS } from "../engine/src/score.ts";
import { decide } from "../engine/src/verdict.ts";
import { ACCOUNT_LIMITS, PLAN_LIMITS } from "../service/src/accounts/plans.ts";
import { LOG_EVENTS } from "../service/src/base/log-events.ts";
import { METRICS } from "../service/src/http/metric-table.ts";
import { PROBLEM_HELP } from "../service/src/http/openapi/problem-help.ts";
import { WEBHOOK_EXAMPLES } from "../service/src/http/openapi/resource-examples.ts";
import { SANDBOX_OUTCOMES } from "../service/src/validations/sandbox-outcomes.ts";
import { RETRY_SCHEDULE } from "../service/src/webhooks/retry-schedule.ts";
import { ADVICE } from "../web/src/pages/validate/messages.tsx";
import { messages as webhookMessages } from "../web/src/pages/webhooks/messages.tsx";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const code = (text: string) => `\`${text}\``;
const number = (value: number) => value.toLocaleString("en");

/** Rows of cells, by the name in the marker. */
const TABLES: Readonly<Record<string, () => string[][]>> = {
  "verdicts-valid": () => verdicts("valid"),
  "verdicts-invalid": () => verdicts("invalid"),
  "verdicts-risky": () => verdicts("risky"),
  "verdicts-unknown": () => verdicts("unknown"),
  problems: () =>
    PROBLEM_CODES.map((name) => [
      code(name),
      String(PROBLEMS[name][0]),
      PROBLEMS[name][1],
      `${PROBLEM_HELP[name].cause} ${PROBLEM_HELP[name].fix}`,
    ]),
  plans: () =>
    PLANS.map((plan) => {
      const limits = PLAN_LIMITS[plan];
      return [
        code(plan),
        limits.api_access ? "yes" : "test keys only",
        number(limits.requests_per_minute),
        number(limits.concurrent_requests),
        number(limits.emails_per_file),
        number(limits.active_jobs),
        `${number(limits.stored_bytes / 1e9)} GB`,
      ];
    }),
  "account-limits": () =>
    Object.entries(ACCOUNT_LIMITS).map(([name, limit]) => [
      code(name),
      number(limit),
      (PlanLimits.properties as Record<string, { description?: string }>)[name]?.description ?? "",
    ]),
  "webhook-events": () => WEBHOOK_EVENTS.map((event) => [code(event), webhookMessages.events[event]]),
  "webhook-retries": () => {
    let sinceMs = 0;
    return RETRY_SCHEDULE.delaysMs.map((delayMs, index) => {
      sinceMs += delayMs;
      return [String(index + 2), duration(delayMs), duration(sinceMs)];
    });
  },
  "result-columns": () => RESULT_COLUMNS.map((name) => [code(`mailvet_${name}`)]),
  metrics: () =>
    Object.entries(METRICS).map(([name, { type, labels, help, ...row }]) => [
      code(name),
      type,
      labels.join(", "),
      "isShared" in row ? "deployment" : "process",
      help,
    ]),
  "log-events": () =>
    Object.entries(LOG_EVENTS).map(([name, { level, message }]) => [code(name), level, message]),
  "audit-actions": () => Object.entries(AUDIT_ACTIONS).map(([action, text]) => [code(action), text]),
};

/** The reason is the sentence of a sandbox result, without its host and domain. */
function verdicts(status: Status): string[][] {
  return SUB_STATUSES[status].map((subStatus: SubStatus) => {
    const [lowest, , highest] = SCORE_BANDS[subStatus];
    const safe_to_send = status === "valid";
    return [
      subStatus === "" ? "*(empty)*" : code(subStatus),
      exampleReason(subStatus),
      ADVICE[subStatus].action,
      code(recommendationOf({ sub_status: subStatus, safe_to_send })),
      lowest === highest ? String(lowest) : `${lowest}–${highest}`,
    ];
  });
}

function exampleReason(subStatus: SubStatus): string {
  const address = {
    normalized: "name@example.com",
    local: "name",
    unicodeDomain: "example.com",
    domain: "example.com",
  };
  const inspection = { email: "name@example.com", address } as unknown as Evidence;
  const evidence = subStatus === "syntax_error" ? { email: "name" } : SANDBOX_OUTCOMES[subStatus](inspection);
  return reasonOf(evidence, decide(evidence))
    .replace(/^mx\.mailvet\.test/, "The mail server")
    .replaceAll("mx.mailvet.test", "the mail server")
    .replaceAll("The domain example.com", "The domain")
    .replaceAll("example.com", "*domain*")
    .replace("name@gmail.com", "*name*@gmail.com");
}

const UNITS = [
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
] as const;

function duration(ms: number): string {
  return UNITS.map(([unit, name], index) => [
    Math.floor((ms % (UNITS[index - 1]?.[0] ?? Infinity)) / unit),
    name,
  ])
    .filter(([count]) => count !== 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(" ");
}

const MARKED = /(<!-- table ([\w-]+) -->\n)(\|.*\|\n\|[-|: ]+\|\n)((?:\|.*\|\n)*)(<!-- \/table -->)/g;

/** The document with every table and message up to date. */
export function withTables(document: string): string {
  const opened = document.match(/^<!-- table /gm)?.length ?? 0;
  let written = 0;
  const updated = document.replaceAll(
    MARKED,
    (_all, open, name: string, header: string, rows: string, close) => {
      written++;
      const made = TABLES[name];
      if (!made) throw new Error(`unknown table ${name}; known: ${Object.keys(TABLES).join(", ")}`);
      const width = cellsOf(header.split("\n")[0]!).length;
      const kept = new Map(rows.split("\n").map((row) => [cellsOf(row)[0], cellsOf(row)]));
      const lines = made().map((cells) => {
        const byHand = (kept.get(cells[0]!) ?? []).slice(cells.length);
        const all = [...cells, ...byHand, ...Array<string>(width).fill("")].slice(0, width);
        return `| ${all.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |");
      });
      return `${open}${header}${lines.join("\n")}\n${close}`;
    },
  );
  if (written !== opened)
    throw new Error("a table has no header, or its end is not marked with <!-- /table -->");
  return updated.replaceAll(WEBHOOK, (_all, open, event: string) => {
    if (!WEBHOOK_EXAMPLES[event]) throw new Error(`unknown event ${event}`);
    return `${open}${JSON.stringify(WEBHOOK_EXAMPLES[event], undefined, 2)}\n\`\`\``;
  });
}

const WEBHOOK = /(<!-- webhook ([\w.]+) -->\n\n?```json\n)[^`]*```/g;

const cellsOf = (row: string) =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());

export const documentsIn = (root = ROOT) =>
  readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(root, "docs", name));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const path of documentsIn()) {
    const text = readFileSync(path, "utf8");
    const updated = withTables(text);
    if (updated === text) continue;
    writeFileSync(path, updated);
    console.log(`updated ${path}`);
  }
}
