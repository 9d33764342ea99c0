/**
 * Virtual table: only visible rows are rendered. It scrolls by wheel, touch, or keys once focused. ARIA attributes give
 * screen readers the full row count.
 */

import { useMediaQuery } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef } from "react";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";
import { ResultRow } from "./result-row.tsx";
import classes from "./results.module.css";
import type { ShownResult } from "./use-result-pages.ts";

const HEADINGS = [
  ["number", messages.results.row],
  ["email", common.email],
  ["verdict", common.verdict],
  ["reason", common.reason],
  ["score", common.score],
  ["suggestion", common.didYouMean],
] as const;

/** Below this width each row is a card. Same breakpoint as in results.module.css. */
const NARROW = "(max-width: 62em)";
const ROW_PX = 44;
const CARD_PX = 88;
const HEADING_PX = 40;
const ROWS_AROUND = 8;

export function ResultsTable({ at, total, onFirst, onOpen, name }: ResultsTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const rowPx = isNarrow ? CARD_PX : ROW_PX;
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: ROWS_AROUND,
  });
  const items = rows.getVirtualItems();
  const first = items[0]?.index ?? 0;
  useEffect(() => onFirst?.(first), [first, onFirst]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row height has changed
  useLayoutEffect(() => rows.measure(), [rowPx]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list starts at the top
  useEffect(() => {
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [name]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: a real table cannot be virtualised
    <div
      ref={scroller}
      role="table"
      aria-label={messages.results.title}
      aria-rowcount={total + 1}
      aria-colcount={HEADINGS.length}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the focused element
      tabIndex={0}
      className={classes.table}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as for the table */}
      <div role="rowgroup" className={classes.head} style={{ height: HEADING_PX }}>
        {/* biome-ignore lint/a11y/useSemanticElements: as for the table */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: the cells are read-only */}
        <div role="row" aria-rowindex={1} className={classes.headings}>
          {HEADINGS.map(([name, text]) => (
            // biome-ignore lint/a11y/useSemanticElements: as for the table
            // biome-ignore lint/a11y/useFocusableInteractive: the columns are not sortable
            <div key={name} role="columnheader" className={`${classes.cell} ${classes[name]}`}>
              {text}
            </div>
          ))}
        </div>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as for the table */}
      <div role="rowgroup" className={classes.body} style={{ height: total * rowPx }}>
        {items.map(({ index }) => (
          <ResultRow
            key={index}
            index={index}
            top={index * rowPx}
            height={rowPx}
            result={at(index)}
            onOpen={onOpen}
          />
        ))}
      </div>
    </div>
  );
}

type ResultsTableProps = {
  /** Undefined while loading. */
  at: (index: number) => ShownResult | undefined;
  total: number;
  /** Called with the index of the first rendered row. */
  onFirst?: (index: number) => void;
  /** Called with the number of the row whose check is to be shown. */
  onOpen: (row: number) => void;
  /** Identifies the list; a change resets the scroll position. */
  name: string;
};
