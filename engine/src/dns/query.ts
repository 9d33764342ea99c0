/**
 * One query to one name server: UDP from a fresh random port, repeated over TCP when the answer is truncated.
 *
 * Reports its result once, or never if the server does not respond: timeouts and retries are in lookup.ts.
 */
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import type { DnsFailure } from "./dns-answer.ts";
import { type DnsQuestion, type DnsResponse, encodeQuestion, RCODE, readMessage } from "./dns-message.ts";
import type { NameServer } from "./name-servers.ts";

export type DnsQuery = {
  /** Whether anything arrived that was not a response to this query. */
  readonly hasStrays: boolean;
  stop(): void;
};

export type OnQueryResult = (result: DnsResponse | { kind: "failed"; failure: DnsFailure }) => void;

const MAX_STRAYS = 64; // more suggests spoofing by guessed ids

export function sendQuery(server: NameServer, question: DnsQuestion, report: OnQueryResult): DnsQuery {
  let strays = 0;
  let edns = true;
  let close = () => {};

  const settle: OnQueryResult = (result) => {
    close();
    report(result);
  };
  const onFailure = (failure: DnsFailure) => settle({ kind: "failed", failure });

  const onMessage = (bytes: Buffer): void => {
    const message = readMessage(bytes, question);
    switch (message.kind) {
      case "stray":
        strays++;
        if (strays > MAX_STRAYS) onFailure("malformed");
        return;
      case "malformed":
        onFailure("malformed");
        return;
      case "truncated":
        close();
        close = sendOverTcp(server, encodeQuestion(question, { edns }), {
          onMessage: onTcpMessage,
          onFailure,
        });
        return;
      case "reply":
        if (edns && rejectsEdns(message)) {
          edns = false;
          close();
          close = sendOverUdp(server, encodeQuestion(question, { edns }), { onMessage, onFailure });
        } else settle(message);
    }
  };
  /** Over TCP there is exactly one response, from the right server and never truncated. */
  const onTcpMessage = (bytes: Buffer): void => {
    const message = readMessage(bytes, question);
    if (message.kind === "reply") settle(message);
    else onFailure("malformed");
  };

  close = sendOverUdp(server, encodeQuestion(question, { edns }), { onMessage, onFailure });
  return {
    get hasStrays() {
      return strays > 0;
    },
    stop: () => close(),
  };
}

/** Servers without EDNS0 support respond with one of these (RFC 6891, 7); the query is repeated without it. */
function rejectsEdns({ rcode }: DnsResponse): boolean {
  return rcode === RCODE.formErr || rcode === RCODE.notImp || rcode === RCODE.badVersion;
}

type Handlers = { onMessage(bytes: Buffer): void; onFailure(failure: DnsFailure): void };

/** Both transports return a function that closes the socket; no callback runs after it. */
function sendOverUdp(
  { address, port }: NameServer,
  query: Buffer,
  { onMessage, onFailure }: Handlers,
): () => void {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  let isOpen = true;
  const close = () => {
    if (isOpen) socket.close();
    isOpen = false;
  };
  const fail = () => {
    if (!isOpen) return;
    close();
    onFailure("unreachable");
  };
  socket.on("error", fail);
  socket.on("message", (bytes) => {
    if (isOpen) onMessage(bytes);
  });
  // A connected socket: the kernel drops datagrams of other senders and reports ICMP port unreachable.
  socket.connect(port, address, (error?: Error) => {
    if (error) fail();
    else if (isOpen) {
      socket.send(query, (sendError) => {
        if (sendError) fail();
      });
    }
  });
  return close;
}

function sendOverTcp(
  { address, port }: NameServer,
  query: Buffer,
  { onMessage, onFailure }: Handlers,
): () => void {
  const socket = connect({ host: address, port });
  const received: Buffer[] = [];
  let receivedBytes = 0;
  let isOpen = true;
  const close = () => {
    isOpen = false;
    socket.destroy();
  };
  const fail = (failure: DnsFailure) => {
    if (!isOpen) return;
    close();
    onFailure(failure);
  };
  socket.on("error", () => fail("unreachable"));
  socket.on("end", () => fail("malformed"));
  socket.on("data", (chunk) => {
    if (!isOpen) return;
    received.push(chunk);
    receivedBytes += chunk.length;
    if (receivedBytes < 2) return;
    // Joined only when complete (or to read the length): a server that sends single bytes must not cause quadratic
    // copying.
    if ((received[0]?.length ?? 0) < 2) received.splice(0, 2, Buffer.concat(received.slice(0, 2)));
    const messageBytes = 2 + (received[0]?.readUInt16BE(0) ?? 0);
    if (receivedBytes >= messageBytes) onMessage(Buffer.concat(received).subarray(2, messageBytes));
  });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(query.length);
  socket.write(Buffer.concat([length, query]));
  return close;
}
