/** Whether a client's Accept header leaves room for one of the media types there are (RFC 9110, 12.5.1). */
export function acceptsOneOf(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept === "*/*") return true;
  const ranges = accept.split(",", MAX_RANGES).map(readRange);
  return types.some((type) => isWelcome(type, ranges));
}

type Range = { type: string; isWelcome: boolean };

const MAX_RANGES = 50;

function readRange(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  return { type, isWelcome: !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter)) };
}

/** The most specific range decides. */
function isWelcome(type: string, ranges: readonly Range[]): boolean {
  const fitting = ["*/*", `${type.split("/", 1)[0]}/*`, type];
  let best = { specificity: -1, isWelcome: false };
  for (const range of ranges) {
    const specificity = fitting.indexOf(range.type);
    if (specificity >= 0 && specificity >= best.specificity)
      best = { specificity, isWelcome: range.isWelcome };
  }
  return best.isWelcome;
}
