/** Whether a client's Accept header leaves room for JSON (RFC 9110, 12.5.1). */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === "*/*" || accept === "application/json") return true;
  // The most specific range decides; its q says whether it is welcome.
  let best: { specificity: number; isWelcome: boolean } = { specificity: -1, isWelcome: false };
  for (const range of accept.split(",", MAX_RANGES)) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const specificity = SPECIFICITY[type] ?? -1;
    if (specificity < best.specificity || specificity < 0) continue;
    const isWelcome = !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
    best = { specificity, isWelcome };
  }
  return best.isWelcome;
}

const MAX_RANGES = 50;
const SPECIFICITY: Readonly<Record<string, number>> = { "*/*": 0, "application/*": 1, "application/json": 2 };
