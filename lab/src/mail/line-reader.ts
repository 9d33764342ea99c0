/**
 * Splits the bytes of a client into lines, buffering at most one line.
 *
 * A line over the limit is returned as `undefined`, once, and discarded.
 */
export type LineReader = { push(bytes: Buffer): (string | undefined)[] };

const LINE_FEED = 0x0a;

export function createLineReader(maxLineBytes: number): LineReader {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let overlong = false;

  return {
    push(bytes) {
      const lines: (string | undefined)[] = [];
      let start = 0;
      while (start < bytes.length) {
        const feed = bytes.indexOf(LINE_FEED, start);
        const end = feed === -1 ? bytes.length : feed + 1;
        append(bytes.subarray(start, end));
        if (feed !== -1) lines.push(take());
        start = end;
      }
      return lines;
    },
  };

  function append(part: Buffer): void {
    bufferedBytes += part.length;
    overlong ||= bufferedBytes > maxLineBytes;
    if (overlong) buffered = [];
    else buffered.push(part);
  }

  function take(): string | undefined {
    const line = overlong
      ? undefined
      : Buffer.concat(buffered)
          .toString("utf8")
          .replace(/\r?\n$/, "");
    buffered = [];
    bufferedBytes = 0;
    overlong = false;
    return line;
  }
}
