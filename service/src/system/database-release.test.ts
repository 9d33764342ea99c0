import { CURRENT_RELEASES } from "@mailvet/embedded-postgres";
import { expect, test } from "vitest";
import { releaseFinding } from "./database-release.ts";

const minor = CURRENT_RELEASES.minors[17]!;

test.each([
  [170_000 + minor, "good", `PostgreSQL 17.${minor}, current as of ${CURRENT_RELEASES.date}.`],
  [170_000 + minor + 1, "good", `PostgreSQL 17.${minor + 1}, current as of`],
  [170_000 + minor - 1, "warning", `PostgreSQL 17.${minor - 1} is 1 security release behind`],
  [170_000 + minor - 3, "warning", `PostgreSQL 17.${minor - 3} is 3 security releases behind`],
  [130_023, "bad", "PostgreSQL 13.23 gets no more security fixes."],
  [990_001, "unknown", "PostgreSQL 99.1 is newer than this release of Mailvet knows."],
])("server_version_num %i is %s", (version, outcome, found) => {
  expect(releaseFinding(version)).toMatchObject({ outcome, found: expect.stringContaining(found) });
});
