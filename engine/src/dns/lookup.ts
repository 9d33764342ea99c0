/**
 * One lookup across the configured name servers, with retries until one answers or the time is up.
 *
 * The schedule is fixed. Silence for a while triggers a query to the next server (or the same one again), while
 * earlier queries may still be answered. An error response triggers the next server at once, and that server is not
 * queried again. A server that needs eleven seconds is thus still waited for, a dead one costs a few packets, and fast
 * answers never shorten the timeouts (as they do in c-ares).
 */
import { randomInt } from "node:crypto";
import { deferred } from "../deferred.ts";
import { DNS_FAILURES, type DnsFailure, type RecordType } from "./dns-answer.ts";
import type { DnsResponse } from "./dns-message.ts";
import type { NameServer } from "./name-servers.ts";
import { type DnsQuery, sendQuery } from "./query.ts";
import { failureOf } from "./response-to-answer.ts";

export type Lookup = {
  result: Promise<LookupResult>;
  /** Stops at once; the result is then the failure "closed". */
  close(): void;
};

export type LookupResult =
  | (DnsResponse & {
      /** Servers that had not responded when another one answered. */
      silent: readonly NameServer[];
    })
  | { kind: "failed"; failure: DnsFailure };

/**
 * Delay before the second and third query, as shares of the timeout: 3 and 4 s of 12, which leaves 5 for the third.
 * Silence triggers no fourth query; only an error response does.
 */
const RETRY_SHARES = [3 / 12, 4 / 12];

export function startLookup(
  servers: readonly NameServer[],
  question: { name: string; type: RecordType },
  { timeoutMs }: { timeoutMs: number },
): Lookup {
  const { promise, resolve } = deferred<LookupResult>();
  const queries = new Map<DnsQuery, NameServer>();
  const failures = new Map<NameServer, DnsFailure>();
  let sent = 0;
  let pending = 0;
  let isOver = false;
  let retry: NodeJS.Timeout | undefined;

  const finish = (result: LookupResult): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(retry);
    clearTimeout(deadline);
    for (const query of queries.keys()) query.stop();
    resolve(result);
  };

  const sendNext = (): void => {
    clearTimeout(retry);
    const server = nextServer(servers, failures, sent);
    if (!server) {
      if (pending === 0) finish({ kind: "failed", failure: mostSpecific([...failures.values()]) });
      return;
    }
    const retryShare = RETRY_SHARES[sent];
    if (retryShare !== undefined) retry = setTimeout(sendNext, timeoutMs * retryShare);
    sent++;
    pending++;
    const withId = { ...question, id: randomInt(0x1_0000) };
    const query = sendQuery(server, withId, (result) => {
      if (isOver) return;
      pending--;
      queries.delete(query);
      const failure = result.kind === "failed" ? result.failure : failureOf(result);
      if (failure !== undefined) {
        failures.set(server, failure);
        sendNext();
      } else if (result.kind === "reply") {
        finish({ ...result, silent: [...queries.values()].filter((other) => other !== server) });
      }
    });
    queries.set(query, server);
  };

  const deadline = setTimeout(() => {
    const hasStrays = [...queries.keys()].some((query) => query.hasStrays);
    const failure = mostSpecific([...failures.values(), hasStrays ? "malformed" : "timeout"]);
    finish({ kind: "failed", failure });
  }, timeoutMs);
  sendNext();

  return { result: promise, close: () => finish({ kind: "failed", failure: "closed" }) };
}

/** Round robin over the servers that have not failed. */
function nextServer(
  servers: readonly NameServer[],
  failures: ReadonlyMap<NameServer, DnsFailure>,
  sent: number,
): NameServer | undefined {
  const start = sent % servers.length;
  const rotated = [...servers.slice(start), ...servers.slice(0, start)];
  return rotated.find((server) => !failures.has(server));
}

function mostSpecific(failures: readonly DnsFailure[]): DnsFailure {
  return DNS_FAILURES.find((failure) => failures.includes(failure)) ?? "timeout";
}
