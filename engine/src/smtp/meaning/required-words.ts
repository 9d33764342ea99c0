/**
 * Derives the words that must occur in a text for an expression to match.
 *
 * A reply has some fifteen words, the tables have well over a thousand phrases. Most phrases can be skipped because a
 * word they require is not in the reply. This finds that word: every position in an expression where a word begins is
 * examined, and the position with the rarest words is used.
 */

/** Word prefixes, one of which the text must contain. Undefined when none is required. */
export function requiredWords(source: string): readonly string[] | undefined {
  const starts = wordStarts(parse(source));
  let best: readonly string[] | undefined;
  for (const start of starts) {
    const prefixes = new Set<string>();
    if (!collect({ pieces: start, at: 0 }, "", prefixes)) continue;
    const found = [...prefixes];
    if (best === undefined || costOf(found) < costOf(best)) best = found;
  }
  return best;
}

type Piece =
  | { kind: "letter"; letter: string; optional: boolean }
  | { kind: "space" }
  | { kind: "choice"; branches: Piece[][]; optional: boolean }
  | { kind: "edge" } // matches a position, not a letter
  | { kind: "anything"; optional: boolean };

const MAX_PREFIX_LENGTH = 8;
const MAX_PREFIXES = 120;

/** Words in nearly every rejection, so that looking for them saves nothing. */
const COMMON_WORDS =
  /^(?:users?|e?mails?|mailbox|messages?|address|recipien|accounts?|not?|is|the|your?|from|to|for|has|been|was|this|that|hosts?|servers?|e|senders?|domains?|reject|rejected|blocked|in|of|an?|on|be|by)$/;

function costOf(prefixes: readonly string[]): number {
  return prefixes.reduce((sum, prefix) => sum + (COMMON_WORDS.test(prefix) ? 8 : 4 / prefix.length), 0);
}

/** The rest of the expression from each position where a word begins, at its outermost level. */
function wordStarts(pieces: readonly Piece[]): Piece[][] {
  const starts: Piece[][] = [];
  let atStart = true;
  pieces.forEach((piece, at) => {
    if (atStart) starts.push(pieces.slice(at));
    atStart = piece.kind === "space" || (atStart && endsWords(piece));
  });
  return starts;
}

function endsWords(piece: Piece): boolean {
  if (piece.kind === "edge") return true;
  return piece.kind === "choice" && piece.branches.every((branch) => branch.at(-1)?.kind === "space");
}

/** A place in an expression, and where it goes on at the end of the branch. */
type Place = { pieces: readonly Piece[]; at: number; after?: Place | undefined };

/** Adds every way the first word can begin; false when one of them is not a known prefix. */
function collect(place: Place, prefix: string, into: Set<string>): boolean {
  const { pieces, at, after } = place;
  const piece = pieces[at];
  if (piece === undefined && after) return collect(after, prefix, into);
  const isOver = piece === undefined || piece.kind === "space" || piece.kind === "anything";
  if (isOver || prefix.length >= MAX_PREFIX_LENGTH) {
    if (prefix === "" && piece?.kind === "space") return collect(next(place), prefix, into);
    into.add(prefix);
    return prefix !== "" && into.size <= MAX_PREFIXES;
  }
  if (piece.kind === "edge") return collect(next(place), prefix, into);
  if (piece.optional && !collect(next(place), prefix, into)) return false;
  if (piece.kind === "letter") {
    if (IN_PREFIXES.has(piece.letter)) return collect(next(place), prefix + piece.letter, into);
    if (prefix === "" && piece.letter < "\u007f") return collect(next(place), prefix, into);
    into.add(prefix);
    return prefix !== "";
  }
  const afterChoice = next(place);
  return piece.branches.every((branch) =>
    collect({ pieces: branch, at: 0, after: afterChoice }, prefix, into),
  );
}

const IN_PREFIXES: ReadonlySet<string> = new Set("abcdefghijklmnopqrstuvwxyz0123456789@");

const next = ({ pieces, at, after }: Place): Place => ({ pieces, at: at + 1, after });

const QUANTIFIERS: ReadonlySet<string> = new Set("?*+{");
const QUANTIFIER = /^(?:[?*+]|\{(\d+),?\d*\})\??/;

/** Parses the subset of regular expressions that the tables use. */
function parse(source: string): Piece[] {
  let at = 0;

  function branches(): Piece[][] {
    const found: Piece[][] = [[]];
    while (at < source.length && source[at] !== ")") {
      if (source[at] === "|") {
        at++;
        found.push([]);
      } else {
        found.at(-1)?.push(...repeated(piece()));
      }
    }
    return found;
  }

  function piece(): Piece {
    const letter = source[at++] ?? "";
    if (letter === "(") return group();
    if (letter === "[") {
      while (source[at] !== "]") at += source[at] === "\\" ? 2 : 1;
      at++;
      return { kind: "anything", optional: false };
    }
    if (letter === "\\") return escaped(source[at++] ?? "");
    if (letter === "^" || letter === "$") return { kind: "edge" };
    if (letter === ".") return { kind: "anything", optional: false };
    return letter === " " ? { kind: "space" } : { kind: "letter", letter, optional: false };
  }

  function group(): Piece {
    const assertion = /^\?<?[!=]/.exec(source.slice(at, at + 3))?.[0];
    at += assertion?.length ?? (source.startsWith("?:", at) ? 2 : 0);
    const found = branches();
    at++;
    return assertion ? { kind: "edge" } : { kind: "choice", branches: found, optional: false };
  }

  function escaped(letter: string): Piece {
    if (letter === "b") return { kind: "edge" };
    if (letter === "p") at = source.indexOf("}", at) + 1;
    return /\w/.test(letter)
      ? { kind: "anything", optional: false }
      : { kind: "letter", letter, optional: false };
  }

  function repeated(one: Piece): Piece[] {
    const times = QUANTIFIERS.has(source[at] ?? "") ? QUANTIFIER.exec(source.slice(at, at + 8)) : undefined;
    if (!times) return [one];
    at += times[0].length;
    const mayBeMissing = /^[?*]/.test(times[0]) || times[1] === "0";
    if (one.kind === "space") return mayBeMissing ? [{ kind: "anything", optional: true }] : [one];
    const kept: Piece = one.kind === "edge" ? one : { ...one, optional: mayBeMissing };
    return times[0].startsWith("?") || endsWords(one) ? [kept] : [kept, { kind: "anything", optional: true }];
  }

  const whole = branches();
  return whole.length === 1 ? (whole[0] ?? []) : [{ kind: "choice", branches: whole, optional: false }];
}
