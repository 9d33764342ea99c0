/** Releases the host leases and waiters of processes that are gone. Called by queue/process-registry.ts. */

import type { ProcessLeases } from "../queue/process-registry.ts";
import { isUnregistered } from "../queue/release-tasks.ts";

export const processLeases: ProcessLeases = {
  async releaseOf(client, processId) {
    const values = [processId];
    await client.query({ name: "release-leases-of", text: RELEASE_LEASES_OF, values });
    await client.query({ name: "remove-waiters-of", text: REMOVE_WAITERS_OF, values });
  },
  async releaseOfExpired(client) {
    await client.query({ name: "release-leases-of-expired", text: RELEASE_LEASES_OF_EXPIRED });
    await client.query({ name: "remove-waiters-of-expired", text: REMOVE_WAITERS_OF_EXPIRED });
  },
};

const RELEASE_LEASES_OF = "delete from pace_places where process_id = $1";
const REMOVE_WAITERS_OF = "delete from pace_wishes where process_id = $1";

// Locked rows are skipped and found by the next call.
const RELEASE_LEASES_OF_EXPIRED = `
delete from pace_places where ctid = any(array(
  select l.ctid from pace_places l where ${isUnregistered("l.process_id")} for update skip locked
))`;
const REMOVE_WAITERS_OF_EXPIRED = `
delete from pace_wishes where ctid = any(array(
  select w.ctid from pace_wishes w where ${isUnregistered("w.process_id")} for update skip locked
))`;
