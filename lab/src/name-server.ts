/**
 * Authoritative name server on loopback: UDP and TCP on one port, an ephemeral one by default.
 *
 * Records its queries, so that tests can assert their number. Records come from zone.ts, faults from
 * dns-temperament.ts.
 */
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { AUTHORITATIVE_ANSWER, type DecodedPacket, decode, encode, TRUNCATED_RESPONSE } from "dns-packet";
import { type DnsTemperament, type QueryInfo, RCODE, type ResponseFaults } from "./dns-temperament.ts";
import { createZone, type DnsEntry, type LookupResult, plainName, type World } from "./zone.ts";

export type LabNameServer = AsyncDisposable & {
  /** `127.0.0.1:port`, for UDP and TCP alike. */
  readonly address: string;
  /** Queries so far, oldest first, optionally filtered by name and type. */
  questions(name?: string, type?: string): ReceivedQuery[];
};

export type ReceivedQuery = { name: string; type: string; transport: "udp" | "tcp" };

const HOST = "127.0.0.1";
const MAX_RECORDED = 100_000; // when exceeded, the older half is dropped
const TCP_IDLE_MS = 10_000;
const DATAGRAM_BYTES = 1232;
const OLD_DATAGRAM_BYTES = 512; // without EDNS0 (RFC 1035, 4.2.1)

export async function openNameServer(world: World, fixedPort = 0): Promise<LabNameServer> {
  const zone = createZone(world);
  const queries: ReceivedQuery[] = [];
  const counts = new Map<string, number>();
  const delayed = new Set<NodeJS.Timeout>();
  const connections = new Set<Socket>();
  const { tcp, udp, port } = await bindBoth(fixedPort);

  /** Responds to one query: sends no, one or two messages, depending on the temperament. */
  const answer = (
    bytes: Buffer,
    transport: QueryInfo["transport"],
    send: (message: Buffer) => void,
  ): void => {
    const query = readQuery(bytes);
    const question = query?.questions?.[0];
    if (!query || !question) return;
    const name = plainName(question.name);
    queries.push({ name, type: question.type, transport });
    if (queries.length > MAX_RECORDED) queries.splice(0, MAX_RECORDED / 2);
    const nth = (counts.get(`${question.type} ${name}`) ?? 0) + 1;
    counts.set(`${question.type} ${name}`, nth);

    const edns = (query.additionals ?? []).some(({ type }) => type === "OPT");
    const temperament = temperamentFor(zone.entryOf(name), question.type);
    const faults = temperament({ nth, transport, edns });
    if (faults.drop) return;
    const message = compose(query, zone.lookUp(name, question.type), faults, {
      limitBytes: transport === "tcp" ? 65_535 : edns ? DATAGRAM_BYTES : OLD_DATAGRAM_BYTES,
    });
    const sendResponse = () => {
      if (faults.ahead) send(faults.ahead(message));
      send(faults.rewrite ? faults.rewrite(message) : message);
    };
    if (!faults.delayMs) {
      sendResponse();
      return;
    }
    const timer = setTimeout(() => {
      delayed.delete(timer);
      sendResponse();
    }, faults.delayMs);
    delayed.add(timer);
  };

  udp.on("error", () => {}); // the client is gone
  udp.on("message", (bytes, from) => {
    answer(bytes, "udp", (message) => udp.send(message, from.port, from.address, () => {}));
  });
  tcp.on("connection", (socket) => {
    connections.add(socket);
    socket.setTimeout(TCP_IDLE_MS, () => socket.destroy());
    socket.on("error", () => {});
    socket.on("close", () => connections.delete(socket));
    readFrames(socket, (bytes) => {
      answer(bytes, "tcp", (message) => socket.writable && socket.write(framed(message)));
    });
  });

  return {
    address: `${HOST}:${port}`,
    questions: (name, type) =>
      queries.filter(
        (question) =>
          (name === undefined || question.name === plainName(name)) &&
          (type === undefined || question.type === type),
      ),
    async [Symbol.asyncDispose]() {
      for (const timer of delayed) clearTimeout(timer);
      for (const socket of connections) socket.destroy();
      const closed = [once(tcp, "close"), once(udp, "close")];
      tcp.close();
      udp.close();
      await Promise.all(closed);
    },
  };
}

/** Binds UDP and TCP to the same port. For port 0 the kernel picks one for TCP, again if UDP has it in use. */
export async function bindBoth(fixedPort = 0): Promise<{ tcp: Server; udp: UdpSocket; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const tcp = createServer().listen(fixedPort, HOST);
    await once(tcp, "listening");
    const address = tcp.address();
    const port = typeof address === "object" && address ? address.port : 0;
    // Hundreds of queries may arrive at once; the default buffer would drop some.
    const udp = createSocket({ type: "udp4", recvBufferSize: 1 << 20 });
    try {
      udp.bind(port, HOST);
      await once(udp, "listening");
      return { tcp, udp, port };
    } catch (error) {
      tcp.close();
      if (fixedPort !== 0 || attempt === 10) throw error;
    }
  }
}

function readQuery(bytes: Buffer): DecodedPacket | undefined {
  try {
    const packet = decode(bytes);
    return packet.type === "query" ? packet : undefined;
  } catch {
    return undefined;
  }
}

const noFaults: DnsTemperament = () => ({});

function temperamentFor(entry: DnsEntry | undefined, type: string): DnsTemperament {
  const answers = entry?.answers ?? noFaults;
  if (typeof answers === "function") return answers;
  return (answers as Record<string, DnsTemperament | undefined>)[type] ?? noFaults;
}

function compose(
  query: DecodedPacket,
  result: LookupResult,
  faults: ResponseFaults,
  { limitBytes }: { limitBytes: number },
): Buffer {
  const rcode = faults.rcode ?? result.rcode;
  const sections = faults.aliasOnly
    ? { answers: result.answers.slice(0, 1), authorities: [] }
    : rcode === RCODE.noError || rcode === RCODE.nxDomain
      ? result
      : { answers: [], authorities: [] };
  const header = {
    type: "response" as const,
    id: query.id,
    questions: query.questions,
    flags: AUTHORITATIVE_ANSWER | ((query.flags ?? 0) & 0x0100) | (faults.aliasOnly ? RCODE.noError : rcode),
  };
  const whole = encode({ ...header, answers: sections.answers, authorities: sections.authorities });
  if (!faults.truncate && whole.length <= limitBytes) return whole;
  return encode({ ...header, flags: header.flags | TRUNCATED_RESPONSE });
}

/** DNS over TCP: each message is preceded by its length in two octets (RFC 1035, 4.2.2). */
function readFrames(socket: Socket, onFrame: (bytes: Buffer) => void): void {
  let pending = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2) {
      const end = 2 + pending.readUInt16BE(0);
      if (pending.length < end) return;
      onFrame(pending.subarray(2, end));
      pending = pending.subarray(end);
    }
  });
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
