/** Session gates of an engine thread: the calling thread admits each session, and a refusal is remembered here. */
import { type GateRefusal, RememberedRefusal, type SessionGate } from "../smtp/throttle/session-gate.ts";
import type { FromThread } from "./messages.ts";

export class RemoteGates {
  readonly #send: (message: FromThread) => void;
  readonly #waits = new Map<number, (refusal: GateRefusal | undefined) => void>();
  #lastId = 0;

  constructor(send: (message: FromThread) => void) {
    this.#send = send;
  }

  gateOf(identity: number): SessionGate {
    const remembered = new RememberedRefusal();
    return {
      get refusal() {
        return remembered.current;
      },
      admit: async () => (remembered.current = await this.#ask(identity)),
    };
  }

  receive(id: number, refusal: GateRefusal | undefined): void {
    this.#waits.get(id)?.(refusal);
    this.#waits.delete(id);
  }

  #ask(identity: number): Promise<GateRefusal | undefined> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waits.set(id, resolve);
      this.#send({ type: "admit", id, identity });
    });
  }
}
