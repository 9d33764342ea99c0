/** Whether an Accept header allows one of the offered media types (RFC 9110, section 12.5.1). */
export function acceptsOneOf(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept === "*/*") return true;
  const ranges = accept.split(",", MAX_RANGES).map(readRange);
  return types.some((type) => isAccepted(type, ranges));
}

type Range = { type: string; isAllowed: boolean };

const MAX_RANGES = 50;

function readRange(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  return { type, isAllowed: !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter)) };
}

/** The most specific range decides. */
function isAccepted(type: string, ranges: readonly Range[]): boolean {
  const matching = ["*/*", `${type.split("/", 1)[0]}/*`, type];
  let best = { specificity: -1, isAllowed: false };
  for (const range of ranges) {
    const specificity = matching.indexOf(range.type);
    if (specificity >= 0 && specificity >= best.specificity)
      best = { specificity, isAllowed: range.isAllowed };
  }
  return best.isAllowed;
}
