/**
 * One query to one name server: over a shared UDP socket, repeated over TCP when the answer is truncated or the port is
 * flooded with forged ones.
 *
 * Reports its result once, or never if the server does not respond: timeouts and retries are in lookup.ts.
 */
import { connect } from "node:net";
import type { DnsFailure, RecordType } from "./dns-answer.ts";
import { type DnsQuestion, type DnsResponse, encodeQuestion, RCODE, readMessage } from "./dns-message.ts";
import type { NameServer } from "./name-servers.ts";
import type { UdpAsker, UdpSocket, UdpSockets } from "./udp-sockets.ts";

export type QueryResult = DnsResponse | { kind: "failed"; failure: DnsFailure };

export class DnsQuery implements UdpAsker {
  readonly server: NameServer;
  readonly #sockets: UdpSockets;
  readonly #question: DnsQuestion;
  readonly #report: (query: DnsQuery, result: QueryResult) => void;
  #udp: UdpSocket | undefined;
  #closeTcp: (() => void) | undefined;
  #edns = true;
  #hasStrays = false;
  #hasSocketFailed = false;

  constructor(
    sockets: UdpSockets,
    server: NameServer,
    { name, type }: { name: string; type: RecordType },
    report: (query: DnsQuery, result: QueryResult) => void,
  ) {
    this.server = server;
    this.#sockets = sockets;
    this.#question = { id: 0, name, type };
    this.#report = report;
  }

  /** Whether anything arrived that was not a response to this query. */
  get hasStrays(): boolean {
    return this.#hasStrays || this.#udp?.hasStrays === true;
  }

  start(): void {
    this.#udp = this.#sockets.to(this.server);
    this.#question.id = this.#udp.register(this);
    this.#udp.send(encodeQuestion(this.#question, { edns: this.#edns }));
  }

  /**
   * Sends the same datagram once more: a second one with another id would double the chance of a forged answer. False if
   * the query is no longer on UDP.
   */
  repeat(): boolean {
    this.#udp?.send(encodeQuestion(this.#question, { edns: this.#edns }));
    return this.#udp !== undefined;
  }

  /** Nothing is reported afterwards. */
  stop(): void {
    this.#udp?.release(this.#question.id);
    this.#udp = undefined;
    this.#closeTcp?.();
  }

  onDatagram(bytes: Buffer): boolean {
    const message = readMessage(bytes, this.#question);
    switch (message.kind) {
      case "stray":
        this.#hasStrays = true;
        return false;
      case "malformed":
        this.#settle({ kind: "failed", failure: "malformed" });
        return true;
      case "truncated":
        this.stop();
        this.#sendOverTcp();
        return true;
      case "reply":
        if (this.#edns && rejectsEdns(message)) {
          this.#edns = false;
          this.stop();
          this.start();
        } else this.#settle(message);
        return true;
    }
  }

  /** Once is forgiven: the error may be due to another question on the socket, or to a forged ICMP message. */
  onSocketError(): void {
    this.#udp = undefined;
    if (this.#hasSocketFailed) this.#settle({ kind: "failed", failure: "unreachable" });
    else {
      this.#hasSocketFailed = true;
      this.start();
    }
  }

  onFlood(): void {
    this.#udp = undefined;
    this.#hasStrays = true;
    this.#sendOverTcp("malformed");
  }

  /** Over TCP there is exactly one response, from the right server and never truncated. */
  #sendOverTcp(failureToReport?: DnsFailure): void {
    this.#closeTcp = sendOverTcp(this.server, encodeQuestion(this.#question, { edns: this.#edns }), {
      onMessage: (bytes) => {
        const message = readMessage(bytes, this.#question);
        this.#settle(message.kind === "reply" ? message : { kind: "failed", failure: "malformed" });
      },
      onFailure: (failure) => this.#settle({ kind: "failed", failure: failureToReport ?? failure }),
    });
  }

  #settle(result: QueryResult): void {
    this.stop();
    this.#report(this, result);
  }
}

/** Servers without EDNS0 support respond with one of these (RFC 6891, 7); the query is repeated without it. */
function rejectsEdns({ rcode }: DnsResponse): boolean {
  return rcode === RCODE.formErr || rcode === RCODE.notImp || rcode === RCODE.badVersion;
}

type Handlers = { onMessage(bytes: Buffer): void; onFailure(failure: DnsFailure): void };

/** Returns a function that closes the connection; no callback runs after it. */
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
