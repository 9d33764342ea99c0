/**
 * The minor releases of PostgreSQL that are current, as of a date.
 *
 * The project releases all maintained majors on one day, each with the security fixes of the others, so two servers of
 * different majors compare by how many releases each is behind. `npm run pins` says when this table is out of date.
 */
export type PostgresVersion = {
  major: number;
  /** As in `server_version_num`: 180004 is 18.4. */
  number: number;
};

export const CURRENT_RELEASES = {
  date: "2026-11-12",
  minors: { 18: 6, 17: 12, 16: 16, 15: 20 } as Readonly<Record<number, number>>,
};

export const versionOf = (number: number): PostgresVersion => ({
  major: Math.floor(number / 10_000),
  number,
});

export const versionText = ({ major, number }: PostgresVersion): string => `${major}.${number % 10_000}`;

/**
 * How many releases the server is behind, negative for one that is newer than this table; undefined for a major that gets no
 * fixes, or that this table does not know.
 */
export function releasesBehind({ major, number }: PostgresVersion): number | undefined {
  const minor = CURRENT_RELEASES.minors[major];
  return minor === undefined ? undefined : minor - (number % 10_000);
}
