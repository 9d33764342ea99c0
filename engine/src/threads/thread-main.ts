/**
 * An engine thread: runs DNS lookups and SMTP probes for the calling thread (engine-threads.ts).
 *
 * Sessions, learned limits, catch-all results and DNS answers are kept here. Slots at mail hosts and the state of the
 * egress are those of the calling thread, so that they are the same for all threads.
 */
import { parentPort, workerData } from "node:worker_threads";
import { type NetworkSettings, networkStagesFrom } from "../network-stages.ts";
import { RequestPriority } from "../request-priority.ts";
import { EgressHealth } from "../smtp/throttle/egress-health.ts";
import { HostMemories } from "../smtp/throttle/host-memories.ts";
import type { Greeting } from "../smtp/throttle/interception.ts";
import { type FromThread, Outbox, type RequestMessage, type ToThread } from "./messages.ts";
import { RemoteGates } from "./remote-gate.ts";
import { RemoteLimiters } from "./remote-limiter.ts";

const port = parentPort!;
const outbox = new Outbox<FromThread>((batch) => {
  port.postMessage(batch);
  limiters.updatePriorities(urgent > 0);
});
const send = (message: FromThread) => outbox.send(message);

/** Reports to the calling thread, which decides before it sends a probe here. What is known here chooses the identity. */
class ReportedEgressHealth extends EgressHealth {
  readonly #identity: number;
  #hasConnected = false;

  constructor(identity: number) {
    super();
    this.#identity = identity;
  }

  override connected(): void {
    super.connected();
    if (!this.#hasConnected) send({ type: "connected", identity: this.#identity });
    this.#hasConnected = true;
  }

  override greeted(greeting: Greeting): boolean {
    const isNews = super.greeted(greeting);
    if (isNews) send({ type: "greeted", identity: this.#identity, greeting });
    return isNews;
  }

  override timedOut(host: string): void {
    super.timedOut(host);
    if (!this.#hasConnected) send({ type: "timed_out", identity: this.#identity, host });
  }

  override failedLocally(): void {
    super.failedLocally();
    send({ type: "failed_locally", identity: this.#identity });
    this.#hasConnected = false; // the next connection is news
  }

  override get blockedForSeconds(): undefined {
    void super.blockedForSeconds; // counts the attempt as the test that is due
    return undefined;
  }
}

const limiters = new RemoteLimiters(send);
const gates = new RemoteGates(send);
const settings = workerData as NetworkSettings;
const egressHealths = settings.egress.map((_, index) => new ReportedEgressHealth(index));
const network = networkStagesFrom(settings, {
  limiterFor: limiters.limiterFor,
  gateFor: ({ name }) => gates.gateOf(settings.egress.findIndex((identity) => identity.name === name)),
  egressHealths,
  hostMemories: new HostMemories(settings.knownHosts, (entry) => send({ type: "remembered", entry })),
  ...(settings.isObserved && { observe: (event) => send({ type: "observed", event }) }),
});
/** Requests in progress; with a priority where it can change. */
const running = new Map<number, RequestPriority | undefined>();
let urgent = 0;
let onIdle = () => {};

port.on("message", (batch: ToThread[]) => {
  for (const message of batch) receive(message);
  limiters.updatePriorities(urgent > 0);
});

send({ type: "ready" });

function receive(message: ToThread): void {
  switch (message.type) {
    case "raise": {
      const priority = running.get(message.id);
      if (priority && !priority.isUrgent) urgent++;
      priority?.raise();
      return;
    }
    case "granted":
      limiters.grant(message.id, message.key, message.state);
      return;
    case "admitted":
      gates.receive(message.id, message.refusal);
      return;
    case "limiter":
      limiters.update(message.key, message.state);
      return;
    case "greeted":
      egressHealths[message.identity]!.interception.greeted(message.greeting);
      return;
    case "close":
      void close();
      return;
    default:
      void run(message);
  }
}

async function run(request: RequestMessage): Promise<void> {
  const { id } = request;
  try {
    if (request.type === "probe") await probe(request);
    else {
      running.set(id, undefined);
      const { routeOf, policiesOf } = network.lookups;
      const found = await (request.type === "route" ? routeOf : policiesOf)(request.domain, request);
      send({ type: "found", id, found });
    }
  } catch (error) {
    send({
      type: "failed",
      id,
      stack: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
  const priority = running.get(id);
  if (priority?.isUrgent) urgent--;
  priority?.end();
  running.delete(id);
  if (running.size === 0) onIdle();
}

async function probe({ id, input, isUrgent }: Extract<RequestMessage, { type: "probe" }>): Promise<void> {
  const priority = new RequestPriority(isUrgent);
  if (isUrgent) urgent++;
  running.set(id, priority);
  const { mailbox, decoy } = await network.planner.probe({ ...input, priority });
  send({ type: "mailbox", id, mailbox, hasDecoy: decoy !== undefined });
  if (decoy) send({ type: "decoy", id, decoy: await decoy });
}

/** Every request in progress is answered; then the calling thread ends this one. */
async function close(): Promise<void> {
  await network.close();
  if (running.size > 0) await new Promise<void>((resolve) => (onIdle = resolve));
  send({ type: "closed" });
}
