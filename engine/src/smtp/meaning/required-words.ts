/**
 * Which words must be there for an expression to fit at all.
 *
 * A reply has some fifteen words, the tables have well over a thousand phrases. Most phrases can be passed
 * over because a word they need is not in the reply. Here that word is found: the places in an expression
 * where a word begins are looked at one by one, and the place with the rarest words is taken.
 */

/** Beginnings of words, one of which the text must have. Undefined when there is no such promise. */
export function requiredWords(source: string): readonly string[] | undefined {
  const places = wordStarts(parse(source));
  let best: readonly string[] | undefined;
  for (const place of places) {
    const openings = new Set<string>();
    if (!collect(place, 0, "", openings)) continue;
    const found = [...openings];
    if (best === undefined || costOf(found) < costOf(best)) best = found;
  }
  return best;
}

type Piece =
  | { kind: "letter"; letter: string; optional: boolean }
  | { kind: "space" }
  | { kind: "choice"; branches: Piece[][]; optional: boolean }
  | { kind: "edge" } // matches a place, not a letter
  | { kind: "anything"; optional: boolean };

const LONGEST_OPENING = 8;
const MOST_OPENINGS = 120;

/** Words that nearly every refusal has, so that looking for them saves nothing. */
const EVERYDAY =
  /^(?:users?|e?mails?|mailbox|messages?|address|recipien|accounts?|not?|is|the|your?|from|to|for|has|been|was|this|that|hosts?|servers?|e|senders?|domains?|reject|rejected|blocked|in|of|an?|on|be|by)$/;

function costOf(openings: readonly string[]): number {
  return openings.reduce((sum, opening) => sum + (EVERYDAY.test(opening) ? 8 : 4 / opening.length), 0);
}

/** Everything from each place where a word begins, at the outermost level of the expression. */
function wordStarts(pieces: readonly Piece[]): Piece[][] {
  const places: Piece[][] = [];
  let atStart = true;
  pieces.forEach((piece, at) => {
    if (atStart) places.push(pieces.slice(at));
    atStart = piece.kind === "space" || (atStart && endsWords(piece));
  });
  return places;
}

function endsWords(piece: Piece): boolean {
  if (piece.kind === "edge") return true;
  return piece.kind === "choice" && piece.branches.every((branch) => branch.at(-1)?.kind === "space");
}

/** Adds every way the first word can begin; false when some way begins with nothing we know. */
function collect(pieces: readonly Piece[], at: number, opening: string, into: Set<string>): boolean {
  const piece = pieces[at];
  const isOver = piece === undefined || piece.kind === "space" || piece.kind === "anything";
  if (isOver || opening.length >= LONGEST_OPENING) {
    if (opening === "" && piece?.kind === "space") return collect(pieces, at + 1, opening, into);
    into.add(opening);
    return opening !== "" && into.size <= MOST_OPENINGS;
  }
  if (piece.kind === "edge") return collect(pieces, at + 1, opening, into);
  if (piece.optional && !collect(pieces, at + 1, opening, into)) return false;
  if (piece.kind === "letter") {
    if (/[a-z0-9@]/.test(piece.letter)) return collect(pieces, at + 1, opening + piece.letter, into);
    if (opening === "" && piece.letter < "\u007f") return collect(pieces, at + 1, opening, into);
    into.add(opening);
    return opening !== "";
  }
  const rest = pieces.slice(at + 1);
  return piece.branches.every((branch) => collect([...branch, ...rest], 0, opening, into));
}

/** Reads the part of the language of regular expressions that the tables use. */
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
    const times = /^(?:[?*+]|\{(\d+),?\d*\})\??/.exec(source.slice(at, at + 8));
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
