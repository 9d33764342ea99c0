/** One row of the virtual results table. Plain elements, because fast scrolling renders hundreds of rows per second. */

import { memo } from "react";
import { formatNumber } from "../../components/number-format.ts";
import { common } from "../../messages.ts";
import { statusColor } from "../../theme.ts";
import { messages, subStatusText } from "./messages.tsx";
import classes from "./results.module.css";
import type { ShownResult } from "./use-result-pages.ts";

export const ResultRow = memo(function ResultRow({ index, top, height, result, onOpen }: ResultRowProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a real table cannot be virtualised
    // biome-ignore lint/a11y/useFocusableInteractive: the cells are read-only
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes.row}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      {result ? <Cells result={result} onOpen={onOpen} /> : <Cell name="email">…</Cell>}
    </div>
  );
});

type OpenRow = (row: number) => void;
type ResultRowProps = {
  index: number;
  top: number;
  height: number;
  result: ShownResult | undefined;
  onOpen: OpenRow;
};

function Cells({ result, onOpen }: { result: ShownResult; onOpen: OpenRow }) {
  const { name, meaning } =
    result.sub_status === null ? messages.results.pending : subStatusText(result.sub_status);
  return (
    <>
      <Cell name="number">{formatNumber(result.row)}</Cell>
      <Cell name="email">
        {result.status === "pending" ? (
          <span className={classes.cut} title={result.email}>
            {result.email}
          </span>
        ) : (
          <button
            type="button"
            className={`${classes.cut} ${classes.open}`}
            title={messages.results.open(result.email)}
            onClick={() => onOpen(result.cell ?? result.row)}
          >
            {result.email}
          </button>
        )}
        {result.is_duplicate && <span className={classes.mark}>{messages.results.duplicate}</span>}
      </Cell>
      <Cell name="verdict">
        <span
          className={classes.dot}
          style={{ background: result.status === "pending" ? undefined : statusColor(result.status) }}
          aria-hidden="true"
        />
        {messages.results.status(result.status)}
        {result.previous_status && result.previous_status !== result.status && (
          <span className={classes.mark}>{messages.recheck.was(result.previous_status)}</span>
        )}
      </Cell>
      <Cell name="reason">
        <span className={classes.cut} title={meaning}>
          {name}
        </span>
      </Cell>
      <Cell name="score">
        <span className={classes.narrowLabel}>{common.score}</span>
        {result.score ?? common.none}
      </Cell>
      <Cell name="suggestion">
        {result.suggestion && (
          <span className={classes.cut} title={result.suggestion}>
            <span className={classes.narrowLabel}>{common.didYouMean} </span>
            {result.suggestion}
          </span>
        )}
      </Cell>
    </>
  );
}

type CellName = "number" | "email" | "verdict" | "reason" | "score" | "suggestion";

function Cell({ name, children }: { name: CellName; children: React.ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: as for the row
    <div role="cell" className={`${classes.cell} ${classes[name]}`}>
      {children}
    </div>
  );
}
