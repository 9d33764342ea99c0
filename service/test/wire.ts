/** Requests written byte by byte, for what no HTTP client would send. */
import { connect, type Socket } from "node:net";
import type { Answer, TestService } from "./service.ts";

export type Wire = {
  socket: Socket;
  /** What the service said, once it has hung up. */
  answer: Promise<Answer>;
};

const PATIENCE_MS = 150_000;

export function openWire({ url }: Pick<TestService, "url">): Wire {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const answer = new Promise<Answer>((resolve, reject) => {
    let heard = "";
    socket.setTimeout(PATIENCE_MS, () => reject(new Error(`no end of it, but: ${heard}`)));
    socket.on("data", (chunk) => {
      heard += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(readAnswer(heard)));
  });
  answer.catch(() => {}); // whoever hangs up on purpose does not wait for it
  return { socket, answer };
}

/** Sends these bytes and waits until the service hangs up. */
export function askWithBytes(service: Pick<TestService, "url">, bytes: string): Promise<Answer> {
  const { socket, answer } = openWire(service);
  socket.write(bytes);
  return answer;
}

function readAnswer(heard: string): Answer {
  const [head = "", text = ""] = heard.split("\r\n\r\n", 2);
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
