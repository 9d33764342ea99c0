/**
 * A large, immutable list of domains, kept as the bytes of its file: sorted, one name per line.
 *
 * Nothing is parsed. A Set of a hundred and fifty thousand strings takes tens of milliseconds and as many megabytes
 * at every start; a binary search over the bytes takes neither. Names are A-labels in lower case. Public suffixes are
 * excluded when a list is written, so walking up the parents of a name needs no suffix rules.
 */

export type DomainList = {
  readonly size: number;
  /** Exact match. */
  has(name: string): boolean;
  /** Whether the name or a parent domain is listed. Always false for a single label. */
  covers(name: string): boolean;
  /** All names, in order. */
  names(): string[];
};

/** Takes the bytes written by domainListBytes: sorted by byte, each name once, each line terminated. */
export function domainListFrom(bytes: Uint8Array): DomainList {
  let size: number | undefined;
  let searches = 0;
  let filter: ((hash: number) => boolean) | undefined;
  const mayContain = (hash: number) => {
    if (!filter && ++searches > SEARCHES_WITHOUT_FILTER) filter = hashFilter(bytes);
    return filter?.(hash) ?? true;
  };

  const has = (name: string) => isLineOf(bytes, name, 0);
  /** Walks from the last letter to the first: at every label start, the hash is that of a parent domain. */
  const covers = (name: string) => {
    let hash = HASH_START;
    let dots = 0;
    for (let at = name.length - 1; at >= 0; at--) {
      const unit = name.charCodeAt(at);
      if (unit === DOT && ++dots > 1 && mayContain(hash) && isLineOf(bytes, name, at + 1)) return true;
      hash = hashStep(hash, unit);
    }
    return dots > 0 && mayContain(hash) && isLineOf(bytes, name, 0);
  };
  return {
    get size() {
      size ??= countLines(bytes);
      return size;
    },
    has,
    covers,
    names: () =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        .toString("latin1")
        .split("\n")
        .slice(0, -1),
  };
}

/** The file format of domainListFrom. */
export function domainListBytes(names: Iterable<string>): Buffer {
  const sorted = [...new Set(names)].sort(); // names are ASCII, where UTF-16 order is byte order
  return Buffer.from(sorted.map((name) => `${name}\n`).join(""), "latin1");
}

/** The form of a listed name: two labels or more, A-labels. */
export function isListableName(name: string): boolean {
  return name.length <= 253 && LISTABLE.test(name);
}

const NEWLINE = 0x0a;
const DOT = 0x2e;
const LISTABLE = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/** Building the filter takes as long as thousands of searches, which a check of one address does not need. */
const SEARCHES_WITHOUT_FILTER = 100;
const FILTER_BITS = 21;
const HASH_START = 0x811c9dc5;
const hashStep = (hash: number, unit: number) => Math.imul(hash ^ unit, 0x01000193);

/**
 * One bit per hash of a listed name (read backwards). Most queried names are not listed, and this rules out nine in
 * ten of them without a search; a set bit proves nothing.
 */
function hashFilter(bytes: Uint8Array): (hash: number) => boolean {
  const bits = new Uint32Array(2 ** (FILTER_BITS - 5));
  const bitOf = (hash: number) => (hash ^ (hash >>> 15)) & (2 ** FILTER_BITS - 1);
  let hash = HASH_START;
  for (let at = bytes.length - 2; at >= -1; at--) {
    const byte = at < 0 ? NEWLINE : bytes[at]!;
    if (byte === NEWLINE) {
      const bit = bitOf(hash);
      bits[bit >>> 5]! |= 1 << (bit & 31);
      hash = HASH_START;
    } else {
      hash = hashStep(hash, byte);
    }
  }
  return (asked) => {
    const bit = bitOf(asked);
    return ((bits[bit >>> 5]! >>> (bit & 31)) & 1) === 1;
  };
}

/** Searches for the part of the name that begins at `from`. */
function isLineOf(bytes: Uint8Array, name: string, from: number): boolean {
  let low = 0; // always the start of a line
  let high = bytes.length; // always the start of a line, or the end
  while (low < high) {
    let start = (low + high) >>> 1;
    while (start > low && bytes[start - 1] !== NEWLINE) start--;
    const order = compareWithLine(bytes, start, name, from);
    if (order === 0) return true;
    if (order < 0) high = start;
    else low = afterLine(bytes, start);
  }
  return false;
}

/** Negative when the name sorts before the line that begins at `start`, zero when it equals it. */
function compareWithLine(bytes: Uint8Array, start: number, name: string, from: number): number {
  let at = start;
  for (let index = from; index < name.length; index++, at++) {
    const byte = bytes[at] as number;
    if (byte === NEWLINE) return 1;
    const difference = name.charCodeAt(index) - byte;
    if (difference !== 0) return difference;
  }
  return bytes[at] === NEWLINE ? 0 : -1;
}

function afterLine(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== NEWLINE) at++;
  return at + 1;
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === NEWLINE) lines++;
  return lines;
}
