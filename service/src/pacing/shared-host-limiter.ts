/**
 * The pace at one place, kept together with all other processes: whoever enters here has a place in the deployment.
 *
 * Among the visitors of this process it keeps the order by itself. A place goes from one of them to the next without
 * asking anybody, as long as no other process wishes for it and no rest is due in between.
 */
import {
  type HostLimiter,
  isUnthrottled,
  openBreakerOf,
  type ProviderProfile,
  type Reply,
  SlotWaiters,
  type ThrottleEvent,
} from "@mailvet/engine";
import type { Applicant, PlaceDesk } from "./lease-client.ts";
import type { Demand, PlaceAnswer, PlaceRequest } from "./lease-sql.ts";
import type { ThrottleStore } from "./throttle-store.ts";

export type SharedPaceDeps = {
  desk: PlaceDesk;
  standings: ThrottleStore;
  /** Whether we would hear it if another process wished for a place. */
  isListening(): boolean;
  /** It is in use, or no longer: who is not need not be remembered. */
  onUse(pace: SharedPace, isInUse: boolean): void;
};

export class SharedPace implements HostLimiter, Applicant {
  readonly key: string;
  readonly #profile: ProviderProfile;
  readonly #deps: SharedPaceDeps;
  readonly #visitors = new SlotWaiters();
  /** Numbers of the places that sessions have, and of those that nobody has yet. */
  readonly #taken: number[] = [];
  readonly #spare: number[] = [];
  /**
   * Those without a place: let in behind an open breaker, where they turn round at once and need none; or inside when
   * theirs went to another process because we were taken for dead.
   */
  #placeless = 0;
  #isWishing = false;
  #demand: Demand = "none";
  #wishHeardAtMs = 0;

  constructor(deps: SharedPaceDeps, key: string, profile: ProviderProfile) {
    this.#deps = deps;
    this.key = key;
    this.#profile = profile;
  }

  get limit(): number {
    const { connections } = this.#profile;
    return Math.min(connections, this.#deps.standings.of(this.key)?.limit ?? connections);
  }

  get delayLeftMs(): number {
    const nextStartAtMs = this.#deps.standings.of(this.key)?.nextStartAtMs ?? 0;
    return Math.max(0, nextStartAtMs - performance.now());
  }

  get openBreaker(): Reply | undefined {
    const standing = this.#deps.standings.of(this.key);
    return standing && openBreakerOf(standing, performance.now());
  }

  get hasWaiters(): boolean {
    return this.#visitors.count > 0 || this.#demand !== "none";
  }

  get hasInteractiveWaiter(): boolean {
    return this.#demand === "urgent" || this.#visitors.hasInteractive;
  }

  acquire(givingUp?: AbortSignal, isUrgent?: () => boolean): Promise<boolean> {
    const entered = this.#visitors.wait(givingUp, isUrgent, () => this.serve());
    this.serve(isUrgent?.() === true);
    return entered;
  }

  release(): void {
    if (this.#placeless > 0) this.#placeless--;
    else this.#handOn(this.#taken.pop()!);
    this.serve();
  }

  /** An `ok` changes nothing where nothing was throttled, and is not written. */
  record(event: ThrottleEvent): void {
    const standing = this.#deps.standings.of(this.key);
    if (event.kind === "ok" && (!standing || isUnthrottled(standing, this.#profile))) return;
    this.#deps.standings.learn(this.key, this.#profile, event);
  }

  request(): PlaceRequest | undefined {
    const wanted = this.#wanted;
    if (wanted <= 0) return undefined;
    const { connections: most, gapMs } = this.#profile;
    return { key: this.key, most, gapMs, wanted, isUrgent: this.#visitors.hasInteractive };
  }

  receive({ numbers, restLeftMs, isWishing, demand }: PlaceAnswer, askedAtMs: number): void {
    this.#spare.push(...numbers);
    this.#isWishing = isWishing;
    this.heed(demand, askedAtMs);
    this.#deps.standings.rests(this.key, restLeftMs);
    this.serve();
  }

  /** Another process has got this place. Whoever has it here stays, and then nobody follows. */
  lose(number: number): void {
    const index = this.#taken.indexOf(number);
    if (index < 0) return;
    this.#taken.splice(index, 1);
    this.#placeless++;
    this.serve();
  }

  /** What other processes wished for when we asked. A wish that we have heard of since then counts too. */
  heed(demand: Demand, askedAtMs: number): void {
    if (this.#wishHeardAtMs < askedAtMs || demand === "urgent") this.#demand = demand;
  }

  /** Another process has come to wish for a place, whatever others wished for before. */
  hearWish(demand: Demand): void {
    this.#wishHeardAtMs = performance.now();
    if (this.#demand !== "urgent") this.#demand = demand;
  }

  /** Lets in whoever may come in, and asks for what is missing. */
  serve(isDue = false): void {
    while (this.#visitors.count > 0 && this.openBreaker) {
      this.#placeless++;
      this.#visitors.grantNext();
    }
    while (this.#visitors.count > 0 && this.#spare.length > 0) {
      this.#taken.push(this.#spare.pop()!);
      this.#visitors.grantNext();
    }
    for (const number of this.#spare.splice(0)) this.#deps.desk.giveBack({ key: this.key, number });
    if (this.#wanted > 0) {
      this.#deps.desk.apply(this, isDue);
    } else if (this.#isWishing) {
      this.#isWishing = false;
      this.#deps.desk.unwish(this.key);
    }
    const isInUse = this.#visitors.count > 0 || this.#taken.length > 0 || this.#placeless > 0;
    this.#deps.onUse(this, isInUse);
    if (!isInUse) this.#demand = "none";
  }

  /** What the deployment is asked for: as many places as visitors wait, as far as the limit is not ours already. */
  get #wanted(): number {
    const room = this.limit - this.#taken.length - this.#spare.length - this.#placeless;
    return Math.min(room, this.#visitors.count - this.#spare.length);
  }

  #handOn(number: number): void {
    const restMs = this.#deps.standings.of(this.key)?.delayMs ?? this.#profile.gapMs;
    const isOursToKeep =
      this.#visitors.count > 0 &&
      this.#taken.length < this.limit &&
      this.#demand === "none" &&
      restMs <= 0 &&
      this.#deps.isListening();
    if (isOursToKeep) this.#spare.push(number);
    else this.#deps.desk.giveBack({ key: this.key, number });
  }
}
