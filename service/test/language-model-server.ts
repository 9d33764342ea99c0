/** A language model's endpoint on loopback, as OpenAI-compatible servers speak, with all the manners a stranger may have. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** What it was asked. */
export type Heard = {
  path: string;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: stories look into whatever was sent
  body: any;
  /** The names in it, in order. */
  names: string[];
};
export type Manner = (answer: ServerResponse, heard: Heard) => void;

/** What it thinks of a name. */
export type Judge = (name: string) => { plausible: unknown; reason_code: unknown };

export const likesAll: Judge = () => ({ plausible: 1, reason_code: "person_name" });

export const opinions = (names: readonly string[], judge = likesAll) => ({
  answers: names.map((name, i) => ({ id: i + 1, ...judge(name) })),
});

/** Answers as it should. */
export const judges =
  (judge = likesAll): Manner =>
  (answer, { names }) =>
    complete(answer, JSON.stringify(opinions(names, judge)));

/** Completes with this text, whatever was asked. */
export const says =
  (text: string): Manner =>
  (answer) =>
    complete(answer, text);

/** Sends this body, whatever was asked. */
export const sends =
  (status: number, body = "", headers: Record<string, string> = {}): Manner =>
  (answer) =>
    answer.writeHead(status, headers).end(body);

export const hangsUp: Manner = (answer) => answer.socket?.destroy();

export const hangsUpHalfway: Manner = (answer) => {
  answer.writeHead(200, { "content-length": "1000" }).write("{", () => answer.socket?.destroy());
};

export const saysNothing: Manner = () => {};

/** One byte every so often, for ever. */
export const trickles: Manner = (answer) => {
  answer.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => answer.write(" "), 20);
  answer.on("close", () => clearInterval(timer));
};

/** As fast as it can, for ever. */
export const neverEnds: Manner = (answer) => {
  answer.writeHead(200, { "content-type": "application/json" });
  const chunk = Buffer.alloc(16 * 1024, " ");
  const pour = () => {
    while (!answer.destroyed && answer.write(chunk));
  };
  answer.on("drain", pour);
  pour();
};

/** A few kilobytes that become twenty megabytes. */
const BOMB = gzipSync(Buffer.alloc(20 * 1024 * 1024, " "));
export const sendsBomb: Manner = (answer) => {
  answer.writeHead(200, { "content-encoding": "gzip" }).end(BOMB);
};

function complete(answer: ServerResponse, content: string): void {
  const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }];
  const body = JSON.stringify({ id: "c", object: "chat.completion", choices, usage: { total_tokens: 9 } });
  answer.writeHead(200, { "content-type": "application/json" }).end(body);
}

export async function openLanguageModelServer(first: Manner = judges()) {
  const heard: Heard[] = [];
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
    heard.push(one);
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
    heard,
    /** All the names it was asked about. */
    names: () => heard.flatMap(({ names }) => names),
    /** Over connections that are closed. */
    sentBytes: () => sentBytes,
    /** How it answers from now on. */
    behave(next: Manner) {
      manner = next;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
