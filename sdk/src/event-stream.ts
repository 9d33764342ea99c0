/** Parses server-sent events from a response body. */
import { foreignResponse } from "./errors.ts";

export type ServerEvent = { name: string; data: string };

/** Far above any event of the API. */
const MAX_EVENT_CHARS = 1024 * 1024;

export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let name = "";
  let data: string | undefined;
  for await (const line of linesIn(body)) {
    if (line === "") {
      if (data !== undefined) yield { name: name || "message", data };
      name = "";
      data = undefined;
      continue;
    }
    // A line that starts with a colon is a comment, used as keep-alive.
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") name = value;
    if (field === "data") data = bounded(data === undefined ? value : `${data}\n${value}`);
  }
}

/** Lines end with CR, LF or CRLF. */
async function* linesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      // A CR at the end of a chunk may be half of a CRLF.
      const lines = text.split(/\r\n|\n|\r(?!$)/);
      text = bounded(lines.pop()!);
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function bounded(text: string): string {
  if (text.length <= MAX_EVENT_CHARS) return text;
  throw foreignResponse("an event is too long");
}
