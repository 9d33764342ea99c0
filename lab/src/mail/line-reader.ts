/**
 * Cuts a client's bytes into lines, holding at most one line's worth of them.
 *
 * A line over the limit comes out as `undefined`, once, and the rest of it is thrown away.
 */
export type LineReader = { push(bytes: Buffer): (string | undefined)[] };

const LINE_FEED = 0x0a;

export function createLineReader(maxLineBytes: number): LineReader {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let overlong = false;

  return {
    push(bytes) {
      const lines: (string | undefined)[] = [];
      let start = 0;
      while (start < bytes.length) {
        const feed = bytes.indexOf(LINE_FEED, start);
        const end = feed === -1 ? bytes.length : feed + 1;
        hold(bytes.subarray(start, end));
        if (feed !== -1) lines.push(take());
        start = end;
      }
      return lines;
    },
  };

  function hold(part: Buffer): void {
    heldBytes += part.length;
    overlong ||= heldBytes > maxLineBytes;
    if (overlong) held = [];
    else held.push(part);
  }

  function take(): string | undefined {
    const line = overlong
      ? undefined
      : Buffer.concat(held)
          .toString("utf8")
          .replace(/\r?\n$/, "");
    held = [];
    heldBytes = 0;
    overlong = false;
    return line;
  }
}
