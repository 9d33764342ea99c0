/**
 * UDP sockets that questions to the same name server share, each for a short time and a limited number of questions.
 *
 * A forged response must hit the source port and the 16-bit id of the question, both drawn from crypto randomness, and
 * come from the server's address. docs/decisions/0013-shared-dns-sockets.md has the arithmetic. Knows nothing of DNS but
 * the position of the id: messages are decoded in query.ts.
 */
import { randomInt } from "node:crypto";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { NameServer } from "./name-servers.ts";

/** Who asked a question. Implemented by query.ts. */
export type UdpAsker = {
  /** A datagram with the question's id arrived; false if it is not a response to the question. */
  onDatagram(bytes: Buffer): boolean;
  /** The socket failed (port unreachable, no route …). */
  onSocketError(): void;
  /** Too many forged responses arrived at this port. */
  onFlood(): void;
};

export type UdpSockets = {
  /** A socket that is connected to the server, or about to be. Register with it before anything else happens. */
  to(server: NameServer): UdpSocket;
  close(): void;
};

/** Few enough that their answers fit into the receive buffer of a socket by default (208 KiB on Linux). */
const QUESTIONS_PER_SOCKET = 32;
/** New questions only while it is younger. It then lives until its last question has ended. */
const MAX_AGE_MS = 1000;
/** Unexpected datagrams before its questions are repeated over TCP. An honest server sends none. */
const MAX_STRAYS = 16;

const PORTS = { from: 32_768, to: 65_535 };
const RANDOM_PORT_ATTEMPTS = 4;

export function createUdpSockets(): UdpSockets {
  const newest = new Map<NameServer, UdpSocket>();
  const open = new Set<UdpSocket>();
  return {
    to(server) {
      const known = newest.get(server);
      if (known?.hasRoom) return known;
      const socket = new UdpSocket(server, () => open.delete(socket));
      open.add(socket);
      newest.set(server, socket);
      return socket;
    },
    close() {
      for (const socket of open) socket.close();
    },
  };
}

export class UdpSocket {
  readonly #server: NameServer;
  readonly #onClose: () => void;
  readonly #openedAtMs = performance.now();
  /** By id. Undefined when the question has ended: ids are not used again, and a late answer is not forged. */
  readonly #askers = new Map<number, UdpAsker | undefined>();
  #outstanding = 0;
  #strays = 0;
  #isOpen = true;
  #socket: Socket;
  /** The server's address as the kernel writes it. */
  #peer: string | undefined;
  /** What waits for the connection; undefined once there is one. */
  #unsent: Buffer[] | undefined = [];

  constructor(server: NameServer, onClose: () => void) {
    this.#server = server;
    this.#onClose = onClose;
    this.#socket = this.#bind(1);
  }

  get hasRoom(): boolean {
    const isYoung = performance.now() - this.#openedAtMs < MAX_AGE_MS;
    return this.#isOpen && this.#askers.size < QUESTIONS_PER_SOCKET && isYoung;
  }

  /** Whether anything unexpected arrived. */
  get hasStrays(): boolean {
    return this.#strays > 0;
  }

  /** Returns the id of the question. */
  register(asker: UdpAsker): number {
    let id = randomInt(0x1_0000);
    while (this.#askers.has(id)) id = randomInt(0x1_0000);
    this.#askers.set(id, asker);
    this.#outstanding++;
    return id;
  }

  send(query: Buffer): void {
    if (!this.#isOpen) return;
    if (this.#unsent) this.#unsent.push(query);
    else this.#socket.send(query, this.#onSent);
  }

  /** Without a callback an error would be lost, and with it the kernel's report that the port is unreachable. */
  readonly #onSent = (error: Error | null): void => {
    if (error) this.#onError();
  };

  /** The question has ended; its caller gets no further message. */
  release(id: number): void {
    if (this.#askers.get(id) === undefined) return;
    this.#askers.set(id, undefined);
    this.#outstanding--;
    // Not at once: the answer may lead to the next question.
    if (this.#outstanding === 0 && this.#isOpen) setImmediate(() => this.#closeIfIdle());
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#socket.close();
    this.#onClose();
  }

  #closeIfIdle(): void {
    if (this.#outstanding === 0) this.close();
  }

  /** A random port of our own choice; the kernel's if several are taken. */
  #bind(attempt: number): Socket {
    const { address, port } = this.#server;
    const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    const isRandom = attempt <= RANDOM_PORT_ATTEMPTS;
    let isBound = false;
    socket.on("error", () => {
      if (isBound || !isRandom) this.#onError();
      else if (this.#isOpen) {
        socket.close();
        this.#socket = this.#bind(attempt + 1);
      }
    });
    socket.on("message", (bytes, from) => this.#onMessage(bytes, from));
    socket.bind({ port: isRandom ? randomInt(PORTS.from, PORTS.to + 1) : 0, exclusive: true }, () => {
      isBound = true;
      if (!this.#isOpen) return;
      // Connected: the kernel drops datagrams of other senders and reports ICMP port unreachable.
      socket.connect(port, address, (error?: Error) => {
        if (error) this.#onError();
        else this.#onConnect();
      });
    });
    return socket;
  }

  #onConnect(): void {
    if (!this.#isOpen) return;
    this.#peer = this.#socket.remoteAddress().address;
    const unsent = this.#unsent ?? [];
    this.#unsent = undefined;
    for (const query of unsent) this.send(query);
  }

  #onMessage(bytes: Buffer, from: RemoteInfo): void {
    if (!this.#isOpen) return;
    // Between bind and connect the kernel takes datagrams from anybody.
    const isFromServer = from.address === this.#peer && from.port === this.#server.port;
    const id = isFromServer && bytes.length >= 2 ? bytes.readUInt16BE(0) : -1;
    const asker = this.#askers.get(id);
    if (asker ? asker.onDatagram(bytes) : this.#askers.has(id)) return;
    this.#strays++;
    if (this.#strays > MAX_STRAYS) this.#endWith((one) => one.onFlood());
  }

  #onError(): void {
    this.#endWith((asker) => asker.onSocketError());
  }

  #endWith(tell: (asker: UdpAsker) => void): void {
    if (!this.#isOpen) return;
    this.close();
    for (const [id, asker] of [...this.#askers]) {
      if (asker === undefined) continue;
      this.release(id);
      tell(asker);
    }
  }
}
