/** Those who wait for a place somewhere, and whose turn it is when there is one. */
import { PriorityOrder } from "./priority.ts";

/** What was in no hurry at first may become urgent while it waits. */
type Visitor = { admit(): void; isUrgent(): boolean };

export class SlotWaiters {
  readonly #waiting: Visitor[] = [];
  readonly #precedence = new PriorityOrder();

  get count(): number {
    return this.#waiting.length;
  }

  /** Whether one of them waits in person. */
  get hasUrgent(): boolean {
    return this.#waiting.some((visitor) => visitor.isUrgent());
  }

  /** Waits to be admitted; false when `givingUp` came first, and then `onGone` is called. */
  join(
    givingUp: AbortSignal | undefined,
    isUrgent: () => boolean = () => false,
    onGone: () => void = () => {},
  ): Promise<boolean> {
    if (givingUp?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const admit = () => {
        givingUp?.removeEventListener("abort", stepAside);
        resolve(true);
      };
      const visitor = { admit, isUrgent };
      const stepAside = () => {
        this.#waiting.splice(this.#waiting.indexOf(visitor), 1);
        resolve(false);
        onGone();
      };
      givingUp?.addEventListener("abort", stepAside, { once: true });
      this.#waiting.push(visitor);
    });
  }

  /** Lets in whoever's turn it is: of the urgent ones or of the others, the one who has waited longest. */
  admitNext(): void {
    const isOthersTurn = this.#precedence.isOthersTurn;
    const first = this.#waiting.findIndex((visitor) => visitor.isUrgent() !== isOthersTurn);
    const [visitor] = this.#waiting.splice(Math.max(0, first), 1);
    this.#precedence.had(visitor!.isUrgent() && !isOthersTurn ? "urgent" : "others");
    visitor!.admit();
  }
}
