/**
 * One question to one name server: a datagram from a fresh random port, and over TCP when the answer is too
 * large for one. Reports once what came of it, or never when the server stays silent: patience is the
 * inquiry's business, in lookup.ts.
 */
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import type { DnsFailure } from "./dns-answer.ts";
import { type DnsQuestion, type DnsResponse, encodeQuestion, RCODE, readMessage } from "./dns-message.ts";
import type { NameServer } from "./name-servers.ts";

export type DnsQuery = {
  /** Whether anything at all came back that was not an answer. */
  readonly heardStrays: boolean;
  stop(): void;
};

export type QueryOutcome = (result: DnsResponse | { kind: "failed"; failure: DnsFailure }) => void;

const MAX_STRAYS = 64; // past that, somebody is guessing ids

export function sendQuery(server: NameServer, question: DnsQuestion, report: QueryOutcome): DnsQuery {
  let strays = 0;
  let edns = true;
  let hangUp = () => {};

  const settle: QueryOutcome = (result) => {
    hangUp();
    report(result);
  };
  const fail = (failure: DnsFailure) => settle({ kind: "failed", failure });

  const hear = (bytes: Buffer): void => {
    const reading = readMessage(bytes, question);
    switch (reading.kind) {
      case "stray":
        strays++;
        if (strays > MAX_STRAYS) fail("malformed");
        return;
      case "malformed":
        fail("malformed");
        return;
      case "truncated":
        hangUp();
        hangUp = askOverTcp(server, encodeQuestion(question, { edns }), { hear: hearWhole, fail });
        return;
      case "reply":
        if (edns && objectsToEdns(reading)) {
          edns = false;
          hangUp();
          hangUp = askByDatagram(server, encodeQuestion(question, { edns }), { hear, fail });
        } else settle(reading);
    }
  };
  /** Over TCP there is one answer, from the right server, and nothing is too large for it. */
  const hearWhole = (bytes: Buffer): void => {
    const reading = readMessage(bytes, question);
    if (reading.kind === "reply") settle(reading);
    else fail("malformed");
  };

  hangUp = askByDatagram(server, encodeQuestion(question, { edns }), { hear, fail });
  return {
    get heardStrays() {
      return strays > 0;
    },
    stop: () => hangUp(),
  };
}

/** Servers from before EDNS0 answer it with one of these (RFC 6891, 7); without it they may well know. */
function objectsToEdns({ rcode }: DnsResponse): boolean {
  return rcode === RCODE.formErr || rcode === RCODE.notImp || rcode === RCODE.badVersion;
}

type Ears = { hear(bytes: Buffer): void; fail(failure: DnsFailure): void };

/** Both ways of asking return a function that hangs up; after it nothing is heard any more. */
function askByDatagram({ address, port }: NameServer, query: Buffer, { hear, fail }: Ears): () => void {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  let isOpen = true;
  const hangUp = () => {
    if (isOpen) socket.close();
    isOpen = false;
  };
  const giveUp = () => {
    if (!isOpen) return;
    hangUp();
    fail("unreachable");
  };
  socket.on("error", giveUp);
  socket.on("message", (bytes) => {
    if (isOpen) hear(bytes);
  });
  // Connected, so that the kernel drops what others send and tells us when nothing listens there.
  socket.connect(port, address, (error?: Error) => {
    if (error) giveUp();
    else if (isOpen) {
      socket.send(query, (sendError) => {
        if (sendError) giveUp();
      });
    }
  });
  return hangUp;
}

function askOverTcp({ address, port }: NameServer, query: Buffer, { hear, fail }: Ears): () => void {
  const socket = connect({ host: address, port });
  const received: Buffer[] = [];
  let receivedBytes = 0;
  let isOpen = true;
  const hangUp = () => {
    isOpen = false;
    socket.destroy();
  };
  const giveUp = (failure: DnsFailure) => {
    if (!isOpen) return;
    hangUp();
    fail(failure);
  };
  socket.on("error", () => giveUp("unreachable"));
  socket.on("end", () => giveUp("malformed"));
  socket.on("data", (chunk) => {
    if (!isOpen) return;
    received.push(chunk);
    receivedBytes += chunk.length;
    if (receivedBytes < 2) return;
    // Joined only when whole (or to get at the length): a server that dribbles must not make us copy for ever.
    if ((received[0]?.length ?? 0) < 2) received.splice(0, 2, Buffer.concat(received.slice(0, 2)));
    const wholeBytes = 2 + (received[0]?.readUInt16BE(0) ?? 0);
    if (receivedBytes >= wholeBytes) hear(Buffer.concat(received).subarray(2, wholeBytes));
  });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(query.length);
  socket.write(Buffer.concat([length, query]));
  return hangUp;
}
