/** Server-sent events (text/event-stream): named events, with heartbeats while nothing happens. */
import { Readable } from "node:stream";

export type EventStream = {
  /** The response body. */
  readonly body: Readable;
  send(event: string, data: unknown): void;
  end(): void;
};

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no", // nginx would buffer events
};

/** Proxies close connections that are silent for a minute, some earlier. */
const HEARTBEAT_MS = 15_000;
/** A client with this much unread is considered gone. */
const MAX_UNREAD_BYTES = 256 * 1024;
/** Then the client must reconnect, and is authenticated again. */
const MAX_DURATION_MS = 30 * 60_000;

export function createEventStream(onClosed: () => void): EventStream {
  const body = new Readable({ read() {} });
  let isClosed = false;
  const write = (text: string) => {
    if (isClosed) return;
    if (body.readableLength > MAX_UNREAD_BYTES) body.destroy();
    else body.push(text);
  };
  const stop = () => {
    isClosed = true;
    clearInterval(heartbeat);
    clearTimeout(duration);
  };
  const end = () => {
    if (!isClosed) body.push(null);
    stop();
  };
  const heartbeat = setInterval(write, HEARTBEAT_MS, ": heartbeat\n\n").unref();
  const duration = setTimeout(end, MAX_DURATION_MS).unref();
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
