/**
 * An authoritative name server on loopback: UDP and TCP on one ephemeral port, over a described world.
 *
 * Remembers what it was asked, so that a test can assert that we ask seldom. What a name holds is decided
 * in zone.ts, the mood it answers in by its temper.
 */
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { AUTHORITATIVE_ANSWER, type DecodedPacket, decode, encode, TRUNCATED_RESPONSE } from "dns-packet";
import type { Asked, NameTemper, Treatment } from "./name-temper.ts";
import { RCODE } from "./rcode.ts";
import { createZone, type Finding, type NameEntry, plainName, type World } from "./zone.ts";

export type NameServer = AsyncDisposable & {
  /** `127.0.0.1:port`, for UDP and TCP alike. */
  readonly address: string;
  /** What was asked so far, oldest first; of one name or one name and type if given. */
  questions(name?: string, type?: string): HeardQuestion[];
};

export type HeardQuestion = { name: string; type: string; transport: "udp" | "tcp" };

const HOST = "127.0.0.1";
const MEMORY = 100_000; // questions remembered; the older half is forgotten when there are more
const TCP_IDLE_MS = 10_000;
const DATAGRAM_BYTES = 1232;
const OLD_DATAGRAM_BYTES = 512; // without EDNS0 (RFC 1035, 4.2.1)

export async function openNameServer(world: World): Promise<NameServer> {
  const zone = createZone(world);
  const heard: HeardQuestion[] = [];
  const counts = new Map<string, number>();
  const delayed = new Set<NodeJS.Timeout>();
  const connections = new Set<Socket>();
  const { tcp, udp, port } = await bindBoth();

  /** Answers one question: through `send` as often as the temper wants, or not at all. */
  const answer = (bytes: Buffer, transport: Asked["transport"], send: (message: Buffer) => void): void => {
    const query = readQuery(bytes);
    const question = query?.questions?.[0];
    if (!query || !question) return;
    const name = plainName(question.name);
    heard.push({ name, type: question.type, transport });
    if (heard.length > MEMORY) heard.splice(0, MEMORY / 2);
    const nth = (counts.get(`${question.type} ${name}`) ?? 0) + 1;
    counts.set(`${question.type} ${name}`, nth);

    const edns = (query.additionals ?? []).some(({ type }) => type === "OPT");
    const temper = temperFor(zone.entryOf(name), question.type);
    const treatment = temper({ nth, transport, edns });
    if (treatment.drop) return;
    const message = compose(query, zone.lookUp(name, question.type), treatment, {
      limitBytes: transport === "tcp" ? 65_535 : edns ? DATAGRAM_BYTES : OLD_DATAGRAM_BYTES,
    });
    const speak = () => {
      if (treatment.ahead) send(treatment.ahead(message));
      send(treatment.rewrite ? treatment.rewrite(message) : message);
    };
    if (!treatment.delayMs) {
      speak();
      return;
    }
    const timer = setTimeout(() => {
      delayed.delete(timer);
      speak();
    }, treatment.delayMs);
    delayed.add(timer);
  };

  udp.on("error", () => {}); // an asker that is gone already: nothing to tell it
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
      heard.filter(
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

/** The same port for both. The kernel picks one for TCP; if UDP has it in use, pick again. */
async function bindBoth(): Promise<{ tcp: Server; udp: UdpSocket; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const tcp = createServer().listen(0, HOST);
    await once(tcp, "listening");
    const address = tcp.address();
    const port = typeof address === "object" && address ? address.port : 0;
    // Hundreds of questions may arrive at once; the kernel's default buffer would drop some of them.
    const udp = createSocket({ type: "udp4", recvBufferSize: 1 << 20 });
    try {
      udp.bind(port, HOST);
      await once(udp, "listening");
      return { tcp, udp, port };
    } catch (error) {
      tcp.close();
      if (attempt === 10) throw error;
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

const honest: NameTemper = () => ({});

function temperFor(entry: NameEntry | undefined, type: string): NameTemper {
  const answers = entry?.answers ?? honest;
  if (typeof answers === "function") return answers;
  return (answers as Record<string, NameTemper | undefined>)[type] ?? honest;
}

function compose(
  query: DecodedPacket,
  finding: Finding,
  treatment: Treatment,
  { limitBytes }: { limitBytes: number },
): Buffer {
  const rcode = treatment.rcode ?? finding.rcode;
  const spoken = treatment.aliasOnly
    ? { answers: finding.answers.slice(0, 1), authorities: [] }
    : rcode === RCODE.noError || rcode === RCODE.nxDomain
      ? finding
      : { answers: [], authorities: [] };
  const header = {
    type: "response" as const,
    id: query.id,
    questions: query.questions,
    flags:
      AUTHORITATIVE_ANSWER | ((query.flags ?? 0) & 0x0100) | (treatment.aliasOnly ? RCODE.noError : rcode),
  };
  const whole = encode({ ...header, answers: spoken.answers, authorities: spoken.authorities });
  if (!treatment.truncate && whole.length <= limitBytes) return whole;
  return encode({ ...header, flags: header.flags | TRUNCATED_RESPONSE });
}

/** DNS over TCP: each message follows its length in two octets. */
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
