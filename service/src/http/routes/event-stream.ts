/** Server-sent events, as browsers' EventSource reads them: a stream of named events, kept alive while nothing happens. */
import { Readable } from "node:stream";

export type EventStream = {
  /** What is sent as the answer. */
  readonly body: Readable;
  send(event: string, data: unknown): void;
  /** Nothing more comes. */
  end(): void;
};

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no", // nginx would keep events back until it has a bufferful
};

/** Proxies hang up on what is silent for a minute or less. */
const HEARTBEAT_MS = 15_000;
/** A reader that lets this much pile up is gone, or as good as gone. */
const MAX_UNREAD_BYTES = 256 * 1024;
/** Whoever still listens then comes back, and shows again that it may. */
const MAX_LIFE_MS = 30 * 60_000;

export function createEventStream(onClosed: () => void): EventStream {
  const body = new Readable({ read() {} });
  let isOver = false;
  const write = (text: string) => {
    if (isOver) return;
    if (body.readableLength > MAX_UNREAD_BYTES) body.destroy();
    else body.push(text);
  };
  const stop = () => {
    isOver = true;
    clearInterval(heartbeat);
    clearTimeout(life);
  };
  const end = () => {
    if (!isOver) body.push(null);
    stop();
  };
  const heartbeat = setInterval(write, HEARTBEAT_MS, ": still here\n\n").unref();
  const life = setTimeout(end, MAX_LIFE_MS).unref();
  body.once("close", () => {
    stop();
    onClosed();
  });
  return {
    body,
    send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    end,
  };
}
