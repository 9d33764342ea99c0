/**
 * Servers that answer every recipient alike after some unknown users: no live mailbox becomes invalid, and no dead one valid.
 *
 * Each server changes after so many unknown users, counted in a session, or from a client address over all sessions, in several
 * orders of the same list.
 */
import { expect, test } from "vitest";
import { changes, verdictsAt } from "./controls-world.ts";

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

for (const counting of ["in a session", "over sessions"] as const)
  for (const hasPostmaster of [true, false]) {
    const postmaster = hasPostmaster ? "with" : "without";
    for (const isKnownBefore of [true, false]) {
      const known = isKnownBefore ? "an accepted mailbox" : "no mailbox";
      test(`accepts every recipient after 2 to 12 unknown users ${counting}, ${postmaster} postmaster@, ${known} known`, async () => {
        const tempers = numbers(2, 12).map((after) => () => changes(counting, { after, to: "accepts" }));
        const counts = await verdictsAt(tempers, { hasPostmaster, isKnownBefore });
        expect(counts["dead valid"]).toBeUndefined();
        expect(counts["live invalid"]).toBeUndefined();
      });
      test(`refuses every recipient after 4 to 12 unknown users ${counting}, ${postmaster} postmaster@, ${known} known`, async () => {
        const tempers = numbers(4, 12).map((after) => () => changes(counting, { after, to: "refuses" }));
        const counts = await verdictsAt(tempers, { hasPostmaster, isKnownBefore });
        expect(counts["dead valid"]).toBeUndefined();
        expect(counts["live invalid"]).toBeUndefined();
      });
    }
    test(`several domains at a host that changes ${counting}, ${postmaster} postmaster@`, async () => {
      const tempers = numbers(4, 12).flatMap((after) => [
        () => changes(counting, { after, to: "refuses" }),
        () => changes(counting, { after, to: "accepts" }),
      ]);
      const counts = await verdictsAt(tempers, { hasPostmaster, domains: 4 });
      expect(counts["dead valid"]).toBeUndefined();
      expect(counts["live invalid"]).toBeUndefined();
    });
    test(`both changes ${counting}, ${postmaster} postmaster@`, async () => {
      const tempers = numbers(4, 9).flatMap((after) => [
        () => changes(counting, { after, to: "refuses" }, { after: after + 3, to: "accepts" }),
        () => changes(counting, { after, to: "accepts" }, { after: after + 3, to: "refuses" }),
      ]);
      const counts = await verdictsAt(tempers, { hasPostmaster });
      expect(counts["dead valid"]).toBeUndefined();
      expect(counts["live invalid"]).toBeUndefined();
    });
  }
