/**
 * One question put to the name servers until one of them answers or patience ends.
 *
 * The schedule is fixed: silence for a while brings the next server (or the same one again), while everyone
 * asked so far may still answer. A refusal brings the next server at once, and whoever refused is not asked
 * again. So a server that needs eleven seconds is heard, a dead one costs a few packets, and no run of fast
 * answers ever makes us impatient.
 */
import { randomInt } from "node:crypto";
import { deferred } from "../deferred.ts";
import { DNS_FAILURES, type DnsFailure, type RecordType } from "./dns-answer.ts";
import type { DnsResponse } from "./dns-message.ts";
import type { NameServer } from "./name-servers.ts";
import { type DnsQuery, sendQuery } from "./query.ts";
import { failureOf } from "./response-reader.ts";

export type Lookup = {
  result: Promise<LookupResult>;
  /** Stops at once; the result is then a failure, "closed". */
  close(): void;
};

export type LookupResult =
  | (DnsResponse & {
      /** Servers that had said nothing when another one answered. */
      silent: readonly NameServer[];
    })
  | { kind: "failed"; failure: DnsFailure };

/**
 * How long the first and the second datagram are given before the next one, as shares of the whole patience:
 * 3 and 4 s of 12, which leaves 5 for the third. Silence brings no fourth; only a refusal does.
 */
const WAIT_SHARES = [3 / 12, 4 / 12];

export function startLookup(
  servers: readonly NameServer[],
  question: { name: string; type: RecordType },
  { timeoutMs }: { timeoutMs: number },
): Lookup {
  const { promise, resolve } = deferred<LookupResult>();
  const exchanges = new Map<DnsQuery, NameServer>();
  const failures = new Map<NameServer, DnsFailure>();
  let sends = 0;
  let pending = 0;
  let isOver = false;
  let retry: NodeJS.Timeout | undefined;

  const finish = (result: LookupResult): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(retry);
    clearTimeout(deadline);
    for (const exchange of exchanges.keys()) exchange.stop();
    resolve(result);
  };

  const sendNext = (): void => {
    clearTimeout(retry);
    const server = nextServer(servers, failures, sends);
    if (!server) {
      if (pending === 0) finish({ kind: "failed", failure: worst([...failures.values()]) });
      return;
    }
    const waitShare = WAIT_SHARES[sends];
    if (waitShare !== undefined) retry = setTimeout(sendNext, timeoutMs * waitShare);
    sends++;
    pending++;
    const asked = { ...question, id: randomInt(0x1_0000) };
    const exchange = sendQuery(server, asked, (result) => {
      if (isOver) return;
      pending--;
      exchanges.delete(exchange);
      const failure = result.kind === "failed" ? result.failure : failureOf(result);
      if (failure !== undefined) {
        failures.set(server, failure);
        sendNext();
      } else if (result.kind === "reply") {
        finish({ ...result, silent: [...exchanges.values()].filter((other) => other !== server) });
      }
    });
    exchanges.set(exchange, server);
  };

  const deadline = setTimeout(() => {
    const heardStrays = [...exchanges.keys()].some((exchange) => exchange.heardStrays);
    const failure = worst([...failures.values(), heardStrays ? "malformed" : "timeout"]);
    finish({ kind: "failed", failure });
  }, timeoutMs);
  sendNext();

  return { result: promise, close: () => finish({ kind: "failed", failure: "closed" }) };
}

/** In turn, leaving out those that refused. */
function nextServer(
  servers: readonly NameServer[],
  failures: ReadonlyMap<NameServer, DnsFailure>,
  sends: number,
): NameServer | undefined {
  const start = sends % servers.length;
  const turn = [...servers.slice(start), ...servers.slice(0, start)];
  return turn.find((server) => !failures.has(server));
}

function worst(failures: readonly DnsFailure[]): DnsFailure {
  return DNS_FAILURES.find((failure) => failures.includes(failure)) ?? "timeout";
}
