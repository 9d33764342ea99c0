/**
 * What outlasts a restart of the memories of all mail hosts: given at the start, kept up to date at the end of sessions, and
 * reported to the caller, who may store it. With engine threads it is kept in the calling thread.
 */
import { LRUCache } from "lru-cache";
import { entriesFor } from "../../base/lru-limit.ts";
import { HostMemory, type StoredMemory } from "./host-memory.ts";

/** Of one egress identity at one host. Without `stored` there is nothing to remember any more. */
export type HostMemoryEntry = { identity: string; host: string; stored?: StoredMemory | undefined };

export const MAX_HOST_MEMORIES = 20_000;
const REMEMBER_MS = 24 * 3600 * 1000;

export class HostMemories {
  readonly #entries = new LRUCache<string, HostMemoryEntry>(entriesFor(REMEMBER_MS, MAX_HOST_MEMORIES));
  readonly #onChange: (entry: HostMemoryEntry) => void;

  constructor(
    entries: Iterable<HostMemoryEntry> = [],
    onChange: (entry: HostMemoryEntry) => void = () => {},
  ) {
    this.#onChange = onChange;
    for (const entry of entries) this.#entries.set(hostMemoryKey(entry), entry);
  }

  get entries(): HostMemoryEntry[] {
    return [...this.#entries.values()].filter(({ stored }) => stored !== undefined);
  }

  memoryOf(identity: string, host: string): HostMemory {
    const entry = this.#entries.get(hostMemoryKey({ identity, host }));
    return new HostMemory(entry?.stored, Date.now, (stored) => this.record({ identity, host, stored }));
  }

  record(entry: HostMemoryEntry): void {
    this.#entries.set(hostMemoryKey(entry), entry);
    this.#onChange(entry);
  }
}

/** Names of identities have no spaces. */
export function hostMemoryKey({ identity, host }: Pick<HostMemoryEntry, "identity" | "host">): string {
  return `${identity} ${host}`;
}
