/**
 * A table of any length of which only the rows in sight exist. It scrolls with the wheel, a finger, or the keys once it
 * has the focus; those who listen hear of a table with all its rows.
 */
import { useMediaQuery } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef } from "react";
import { ResultRow } from "./result-row.tsx";
import classes from "./results.module.css";
import type { ShownResult } from "./use-result-pages.ts";

const HEADINGS = [
  ["number", "Row"],
  ["email", "Email"],
  ["verdict", "Verdict"],
  ["reason", "Reason"],
  ["score", "Score"],
  ["suggestion", "Did you mean"],
] as const;

/** Then each row is a card of a few lines; the style sheet draws the same line. */
const NARROW = "(max-width: 62em)";
const ROW_PX = 44;
const CARD_PX = 88;
const HEADING_PX = 40;
const ROWS_AROUND = 8;

export function ResultsTable({ at, total, onFirst, name }: ResultsTableProps) {
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows have become higher or lower
  useLayoutEffect(() => rows.measure(), [rowPx]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its top
  useEffect(() => {
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [name]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: a real table cannot leave out the rows that are not in sight
    <div
      ref={scroller}
      role="table"
      aria-label="Results"
      aria-rowcount={total + 1}
      aria-colcount={HEADINGS.length}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll what has the focus
      tabIndex={0}
      className={classes.table}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as of the table */}
      <div role="rowgroup" className={classes.head} style={{ height: HEADING_PX }}>
        {/* biome-ignore lint/a11y/useSemanticElements: as of the table */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: its cells are only read */}
        <div role="row" aria-rowindex={1} className={classes.headings}>
          {HEADINGS.map(([name, text]) => (
            // biome-ignore lint/a11y/useSemanticElements: as of the table
            // biome-ignore lint/a11y/useFocusableInteractive: nothing is sorted here
            <div key={name} role="columnheader" className={`${classes.cell} ${classes[name]}`}>
              {text}
            </div>
          ))}
        </div>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as of the table */}
      <div role="rowgroup" className={classes.body} style={{ height: total * rowPx }}>
        {items.map(({ index }) => (
          <ResultRow key={index} index={index} top={index * rowPx} height={rowPx} result={at(index)} />
        ))}
      </div>
    </div>
  );
}

type ResultsTableProps = {
  /** Undefined while it is being fetched. */
  at: (index: number) => ShownResult | undefined;
  total: number;
  /** Hears of the first row that exists at the moment. */
  onFirst?: (index: number) => void;
  /** Changes when it is another list, which then begins at its top. */
  name: string;
};
