/** Prints measurements as aligned columns. */
import type { Measurement } from "./measure.ts";

type Column = readonly [heading: string, cell: (one: Measurement) => string];

const n = (value: number) => Math.round(value).toLocaleString("en");
const percent = (share: number) => `${Math.round(share * 100)} %`;

const COLUMNS: readonly Column[] = [
  ["", (one) => one.checker],
  ["addr/s", (one) => n(one.rate)],
  ["conns", (one) => n(one.connections)],
  ["at once", (one) => n(one.mostAtOnce)],
  ["refused", (one) => n(one.refusedConnections)],
  ["no QUIT", (one) => n(one.endedWithoutQuit)],
  ["round trips", (one) => n(one.roundTrips)],
  ["busy", (one) => percent(one.busyShare)],
  ["CPU s", (one) => one.cpuSeconds.toFixed(2)],
  ["CPU ms/host", (one) => one.cpuMsPerHost.toFixed(2)],
  ["right", (one) => `${n(one.right)}/${n(one.addresses)}`],
  ["live→dead", (one) => n(one.liveCalledDead)],
  ["dead→live", (one) => n(one.deadCalledLive)],
  ["lab CPU", (one) => percent(one.labShare)],
  ["RSS MiB", (one) => (one.peakRssMiB === undefined ? "" : n(one.peakRssMiB))],
];

export function printTable(
  measurements: readonly Measurement[],
  print: (line: string) => void = console.log,
): void {
  const rows = [
    COLUMNS.map(([heading]) => heading),
    ...measurements.map((one) => COLUMNS.map(([, cell]) => cell(one))),
  ];
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  for (const row of rows) {
    const cells = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[i]!)));
    print(cells.join("  "));
  }
  for (const { checker, wrong } of measurements) {
    for (const problem of wrong) print(`wrong, ${checker}: ${problem}`);
  }
}
