/** A language model's endpoint on loopback, as OpenAI-compatible servers speak, with every behaviour an unknown server may have. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** A received request. */
export type ModelRequest = {
  path: string;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect arbitrary requests
  body: any;
  /** The names in it, in order. */
  names: string[];
};
export type ModelBehaviour = (answer: ServerResponse, received: ModelRequest) => void;

/** Its judgement of a name. */
export type Judge = (name: string) => { plausible: unknown; reason_code: unknown };

export const likesAll: Judge = () => ({ plausible: 1, reason_code: "person_name" });

export const opinions = (names: readonly string[], judge = likesAll) => ({
  answers: names.map((name, i) => ({ id: i + 1, ...judge(name) })),
});

/** Answers correctly. */
export const judges =
  (judge = likesAll): ModelBehaviour =>
  (answer, { names }) =>
    complete(answer, JSON.stringify(opinions(names, judge)));

/** Completes with this text, whatever was asked. */
export const says =
  (text: string): ModelBehaviour =>
  (answer) =>
    complete(answer, text);

/** Sends this body, whatever was asked. */
export const sends =
  (status: number, body = "", headers: Record<string, string> = {}): ModelBehaviour =>
  (answer) =>
    answer.writeHead(status, headers).end(body);

export const hangsUp: ModelBehaviour = (answer) => answer.socket?.destroy();

export const hangsUpHalfway: ModelBehaviour = (answer) => {
  answer.writeHead(200, { "content-length": "1000" }).write("{", () => answer.socket?.destroy());
};

export const saysNothing: ModelBehaviour = () => {};

/** Sends one byte at intervals, endlessly. */
export const trickles: ModelBehaviour = (answer) => {
  answer.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => answer.write(" "), 20);
  answer.on("close", () => clearInterval(timer));
};

/** Sends as fast as possible, endlessly. */
export const neverEnds: ModelBehaviour = (answer) => {
  answer.writeHead(200, { "content-type": "application/json" });
  const chunk = Buffer.alloc(16 * 1024, " ");
  const pour = () => {
    while (!answer.destroyed && answer.write(chunk));
  };
  answer.on("drain", pour);
  pour();
};

/** A few kilobytes that decompress to twenty megabytes. */
const BOMB = gzipSync(Buffer.alloc(20 * 1024 * 1024, " "));
export const sendsBomb: ModelBehaviour = (answer) => {
  answer.writeHead(200, { "content-encoding": "gzip" }).end(BOMB);
};

function complete(answer: ServerResponse, content: string): void {
  const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }];
  const body = JSON.stringify({ id: "c", object: "chat.completion", choices, usage: { total_tokens: 9 } });
  answer.writeHead(200, { "content-type": "application/json" }).end(body);
}

export async function openLanguageModelServer(first: ModelBehaviour = judges()) {
  const received: ModelRequest[] = [];
  const sockets = new Set<Socket>();
  let manner = first;
  let sentBytes = 0;
  const server = createServer(async (request, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const { mailboxes } = JSON.parse(body.messages[1].content) as { mailboxes: { name: string }[] };
    const names = mailboxes.map(({ name }) => name);
    const headers = request.headers as Record<string, string>;
    const one = { path: `${request.method} ${request.url}`, headers, body, names };
    received.push(one);
    answer.on("error", () => {});
    manner(answer, one);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sentBytes += socket.bytesWritten;
      sockets.delete(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    received,
    /** All the names it was asked about. */
    names: () => received.flatMap(({ names }) => names),
    /** Total over closed connections. */
    sentBytes: () => sentBytes,
    /** Sets the behaviour from now on. */
    behave(next: ModelBehaviour) {
      manner = next;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
