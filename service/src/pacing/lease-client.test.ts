import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLeaseClient } from "./lease-client.ts";
import type { Audit, Demand } from "./lease-sql.ts";

const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
};

test("an audit that is requested while another one runs is not lost", async () => {
  const audits: ((audit: Audit) => void)[] = [];
  const demands: Demand[] = [];
  const client = createLeaseClient({
    statements: {
      ask: async () => [{ numbers: [1], restLeftMs: 0, isWaiting: false, demand: "none" }],
      release: async () => new Map(),
      audit: () => new Promise((resolve) => audits.push(resolve)),
      leave: async () => {},
    },
    onDemand: (_key, demand) => demands.push(demand),
    onLost() {},
    log() {},
  });
  let wanted = 1;
  const holder = {
    key: "mx.test",
    request: () => (wanted > 0 ? { key: "mx.test", most: 1, gapMs: 0, wanted, isUrgent: false } : undefined),
    receive() {
      wanted = 0;
    },
  };
  client.apply(holder, true);
  await turns();
  client.requestAudit();
  await turns();
  expect(audits).toHaveLength(1);
  client.requestAudit(); // notifications were lost after the statement had read the table
  audits[0]!({ demands: new Map(), lost: [] });
  await turns();
  expect(audits).toHaveLength(2);
  audits[1]!({ demands: new Map([["mx.test", "urgent"]]), lost: [] });
  await turns();
  expect(demands).toEqual(["none", "urgent"]);
  await client.close();
});
