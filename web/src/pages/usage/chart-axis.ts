/** Axis of a chart of counts, with round numbers. */

const STEPS = [1, 2, 2.5, 5, 10];
const WANTED_LINES = 4;

export type Axis = { top: number; ticks: number[] };

/** Integer ticks from 0 to the first round number at or above the highest count. */
export function axisOf(highest: number): Axis {
  const rough = Math.max(1, highest) / WANTED_LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.ceil(power * STEPS.find((factor) => factor * power >= rough)!);
  const lines = Math.ceil(Math.max(1, highest) / step);
  return { top: lines * step, ticks: Array.from({ length: lines + 1 }, (_, line) => line * step) };
}
