/**
 * Who goes first where somebody urgent waits among others: the urgent ones. But after three turns that were theirs
 * alone the next one is the others', so that a list comes to its end however many single checks arrive meanwhile.
 */
export class PriorityOrder {
  #urgentAlone = 0;

  /** Whether those who are in no hurry come first this time. */
  get isOthersTurn(): boolean {
    return this.#urgentAlone >= URGENT_TURNS;
  }

  /** Who had the turn: `others` when any of them was among those who went. */
  had(who: "urgent" | "others"): void {
    this.#urgentAlone = who === "others" ? 0 : this.#urgentAlone + 1;
  }
}

const URGENT_TURNS = 3;
