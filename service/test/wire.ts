/** Raw connections, for requests that no HTTP client would send. */
import { connect, type Socket } from "node:net";
import type { Answer, TestService } from "./service.ts";

export type Wire = {
  socket: Socket;
  /** Everything received until the service closed the connection. */
  response: Promise<Answer>;
};

const TIMEOUT_MS = 540_000;

export function openWire({ url }: Pick<TestService, "url">): Wire {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const response = new Promise<Answer>((resolve, reject) => {
    let received = "";
    socket.setTimeout(TIMEOUT_MS, () => reject(new Error(`not closed in time, received: ${received}`)));
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(parseResponse(received)));
  });
  response.catch(() => {}); // a test that disconnects does not await it
  return { socket, response };
}

/** Sends raw bytes and waits until the service closes the connection. */
export function askWithBytes(service: Pick<TestService, "url">, bytes: string): Promise<Answer> {
  const { socket, response } = openWire(service);
  socket.write(bytes);
  return response;
}

function parseResponse(received: string): Answer {
  const [head = "", text = ""] = received.split("\r\n\r\n", 2);
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const isJson = /json/.test(headers.get("content-type") ?? "");
  return { status: Number(statusLine.split(" ")[1]), headers, body: isJson ? JSON.parse(text) : text, text };
}
