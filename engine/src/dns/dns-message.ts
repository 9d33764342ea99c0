/**
 * Encodes DNS queries and decodes responses.
 *
 * The codec is dns-packet. This file adds the checks it leaves to its user: no exception, oversized message or
 * response to another query gets past it.
 */
import { isIPv4, isIPv6 } from "node:net";
import { type Answer, type DecodedPacket, decode, encode, RECURSION_DESIRED } from "dns-packet";
import type { RecordData, RecordType } from "./dns-answer.ts";
import { normaliseName } from "./host-name.ts";

export type DnsQuestion = { id: number; name: string; type: RecordType };

/** A response to our query, reduced to the parts used here. */
export type DnsResponse = {
  kind: "reply";
  rcode: number;
  records: readonly DnsRecord[];
  /** TTL of a negative answer (RFC 2308); undefined when the zone does not give one. */
  negativeTtlSeconds: number | undefined;
  /** Refers to other servers instead of answering. */
  isReferral: boolean;
};

export type DnsRecord = {
  [T in RecordType]: { owner: string; type: T; ttlSeconds: number; data: RecordData[T] };
}[RecordType];

/** `stray`: not a response to this query, keep waiting. `truncated`: retry over TCP. */
export type ParsedMessage = DnsResponse | { kind: "stray" | "truncated" | "malformed" };

export const RCODE = {
  noError: 0,
  formErr: 1,
  servFail: 2,
  nxDomain: 3,
  notImp: 4,
  refused: 5,
  badVersion: 16,
};

/** Passes most paths without fragmentation (DNS flag day 2020). */
const DATAGRAM_BYTES = 1232;

// A name may be a long chain of compression pointers, decoded again for each record. Limiting the records keeps
// decoding linear.
const MAX_RECORDS = 400;

export function encodeQuestion({ id, name, type }: DnsQuestion, { edns }: { edns: boolean }): Buffer {
  return encode({
    type: "query",
    id,
    flags: RECURSION_DESIRED,
    questions: [{ name, type }],
    additionals: edns ? [EDNS] : [],
  });
}

const EDNS: Answer = {
  name: ".",
  type: "OPT",
  udpPayloadSize: DATAGRAM_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

export function readMessage(bytes: Buffer, question: DnsQuestion): ParsedMessage {
  if (bytes.length < 12 || bytes.readUInt16BE(0) !== question.id) return { kind: "stray" };
  const flags = bytes.readUInt16BE(2);
  if ((flags & 0x8000) === 0) return { kind: "stray" };
  if ((flags & 0x0200) !== 0) return { kind: "truncated" };
  if (countRecords(bytes) > MAX_RECORDS) return { kind: "malformed" };

  const packet = tryDecode(bytes);
  if (!packet) return { kind: "malformed" };
  const rcode = (flags & 0x000f) | (extendedRcode(packet) << 4);
  const echoed = packet.questions?.[0];
  if (!echoed) {
    // Some servers leave out the question when they refuse. That is acceptable for an error, not for an answer.
    return rcode === RCODE.noError || rcode === RCODE.nxDomain ? { kind: "malformed" } : errorResponse(rcode);
  }
  if (normaliseName(echoed.name) !== question.name || echoed.type !== question.type) return { kind: "stray" };

  const records = (packet.answers ?? []).map(readRecord);
  if (records.includes("malformed")) return { kind: "malformed" };
  const authorities = packet.authorities ?? [];
  const negativeTtlSeconds = negativeTtl(authorities);
  return {
    kind: "reply",
    rcode,
    records: records.filter((record): record is DnsRecord => typeof record === "object"),
    negativeTtlSeconds,
    isReferral: negativeTtlSeconds === undefined && authorities.some(({ type }) => type === "NS"),
  };
}

function countRecords(bytes: Buffer): number {
  return bytes.readUInt16BE(4) + bytes.readUInt16BE(6) + bytes.readUInt16BE(8) + bytes.readUInt16BE(10);
}

function tryDecode(bytes: Buffer): DecodedPacket | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

function extendedRcode(packet: DecodedPacket): number {
  const opt = (packet.additionals ?? []).find((record) => record.type === "OPT");
  return opt?.extendedRcode ?? 0;
}

function errorResponse(rcode: number): DnsResponse {
  return { kind: "reply", rcode, records: [], negativeTtlSeconds: undefined, isReferral: false };
}

/** Undefined for types and classes that are not used here (signatures …). */
function readRecord(answer: Answer): DnsRecord | "malformed" | undefined {
  if (answer.type === "OPT" || answer.class !== "IN") return undefined;
  const owner = normaliseName(answer.name);
  const ttlSeconds = validTtl(answer.ttl);
  switch (answer.type) {
    case "A":
      return isIPv4(answer.data) ? { owner, type: "A", ttlSeconds, data: answer.data } : "malformed";
    case "AAAA":
      return isIPv6(answer.data) ? { owner, type: "AAAA", ttlSeconds, data: answer.data } : "malformed";
    case "CNAME":
    case "PTR":
    case "NS":
      return { owner, type: answer.type, ttlSeconds, data: normaliseName(answer.data) };
    case "MX": {
      const { preference = 0, exchange } = answer.data;
      return { owner, type: "MX", ttlSeconds, data: { preference, exchange: normaliseName(exchange) } };
    }
    case "TXT":
      return { owner, type: "TXT", ttlSeconds, data: [answer.data].flat().join("") };
    default:
      return undefined;
  }
}

/** A TTL with the top bit set counts as zero (RFC 2181, 8). */
function validTtl(ttl: number | undefined): number {
  return ttl === undefined || ttl > 0x7fff_ffff ? 0 : ttl;
}

function negativeTtl(authorities: readonly Answer[]): number | undefined {
  const soa = authorities.find((record) => record.type === "SOA");
  return soa && Math.min(validTtl(soa.ttl), validTtl(soa.data.minimum));
}
