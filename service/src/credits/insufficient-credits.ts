/** The refusal of whoever has fewer credits than what they ask for costs. */
import { Refusal } from "../refusal.ts";

export function insufficientCredits(required: number, available: number): Refusal {
  const detail = `${required === 1 ? "1 credit is" : `${required} credits are`} needed, and there are ${available}.`;
  return new Refusal("insufficient_credits", detail, { required, available });
}
