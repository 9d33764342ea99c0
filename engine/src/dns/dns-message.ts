/**
 * DNS messages: a question to bytes, and a stranger's bytes to something we dare to read.
 *
 * The codec is dns-packet; here are the checks it leaves to its user, so that nothing thrown, oversized or
 * meant for someone else gets past this file.
 */
import { isIPv4, isIPv6 } from "node:net";
import { type Answer, type DecodedPacket, decode, encode, RECURSION_DESIRED } from "dns-packet";
import type { RecordData, RecordType } from "./dns-answer.ts";
import { plainName } from "./host-name.ts";

export type DnsQuestion = { id: number; name: string; type: RecordType };

/** A message that answers our question, with the parts we use. */
export type DnsResponse = {
  kind: "reply";
  rcode: number;
  records: readonly DnsRecord[];
  /** How long "there is nothing" may be believed (RFC 2308); undefined when the zone does not say. */
  negativeTtlSeconds: number | undefined;
  /** Points to other servers instead of answering. */
  isReferral: boolean;
};

export type DnsRecord = {
  [T in RecordType]: { owner: string; type: T; ttlSeconds: number; data: RecordData[T] };
}[RecordType];

/** `stray`: not an answer to this question, keep listening. `truncated`: ask again over TCP. */
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

/** What most paths carry without fragments (DNS flag day 2020). */
const DATAGRAM_BYTES = 1232;

// A name may be a long chain of pointers, each record's anew; a limit on records keeps reading linear.
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

  const packet = decodeSafely(bytes);
  if (!packet) return { kind: "malformed" };
  const rcode = (flags & 0x000f) | (extendedRcode(packet) << 4);
  const asked = packet.questions?.[0];
  if (!asked) {
    // Some servers refuse without repeating the question. A refusal needs none; an answer does.
    return rcode === RCODE.noError || rcode === RCODE.nxDomain ? { kind: "malformed" } : bareReply(rcode);
  }
  if (plainName(asked.name) !== question.name || asked.type !== question.type) return { kind: "stray" };

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

function decodeSafely(bytes: Buffer): DecodedPacket | undefined {
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

function bareReply(rcode: number): DnsResponse {
  return { kind: "reply", rcode, records: [], negativeTtlSeconds: undefined, isReferral: false };
}

/** A record in our words; undefined when it is of a type or class we have no use for (signatures …). */
function readRecord(answer: Answer): DnsRecord | "malformed" | undefined {
  if (answer.type === "OPT" || answer.class !== "IN") return undefined;
  const owner = plainName(answer.name);
  const ttlSeconds = sane(answer.ttl);
  switch (answer.type) {
    case "A":
      return isIPv4(answer.data) ? { owner, type: "A", ttlSeconds, data: answer.data } : "malformed";
    case "AAAA":
      return isIPv6(answer.data) ? { owner, type: "AAAA", ttlSeconds, data: answer.data } : "malformed";
    case "CNAME":
    case "PTR":
    case "NS":
      return { owner, type: answer.type, ttlSeconds, data: plainName(answer.data) };
    case "MX": {
      const { preference = 0, exchange } = answer.data;
      return { owner, type: "MX", ttlSeconds, data: { preference, exchange: plainName(exchange) } };
    }
    case "TXT":
      return { owner, type: "TXT", ttlSeconds, data: [answer.data].flat().join("") };
    default:
      return undefined;
  }
}

/** A lifetime with the top bit set is no lifetime (RFC 2181, 8). */
function sane(ttl: number | undefined): number {
  return ttl === undefined || ttl > 0x7fff_ffff ? 0 : ttl;
}

function negativeTtl(authorities: readonly Answer[]): number | undefined {
  const soa = authorities.find((record) => record.type === "SOA");
  return soa && Math.min(sane(soa.ttl), sane(soa.data.minimum));
}
