/**
 * Encodes DNS queries and decodes responses (RFC 1035, 4).
 *
 * Only the parts in use are decoded; see docs/decisions/0013-shared-dns-sockets.md. Whatever the bytes are, the result is
 * a value: nothing throws, names end, and the work is linear in the size of the message.
 */
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
  /** Refers to other servers instead of answering, or comes from a server that neither has the zone nor recurses. */
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

const TYPE = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, OPT: 41 } as const;
const CLASS_IN = 1;

const HEADER_BYTES = 12;
const MAX_NAME_BYTES = 254; // without the root label

/** Passes most paths without fragmentation (DNS flag day 2020). */
const DATAGRAM_BYTES = 1232;

// A name may be a long chain of compression pointers, decoded again for each record. Limiting the records keeps
// decoding linear.
const MAX_RECORDS = 400;

const FLAG = {
  response: 0x8000,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
  recursionAvailable: 0x0080,
};
const POINTER = 0xc0;

/** The name must be queryable (host-name.ts). */
export function encodeQuestion({ id, name, type }: DnsQuestion, { edns }: { edns: boolean }): Buffer {
  const nameEnd = HEADER_BYTES + name.length + 2;
  const bytes = Buffer.allocUnsafe(nameEnd + 4 + (edns ? 11 : 0));
  bytes.fill(0, 0, HEADER_BYTES);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(FLAG.recursionDesired, 2);
  bytes[5] = 1; // questions
  writeName(bytes, name);
  bytes.writeUInt16BE(TYPE[type], nameEnd);
  bytes.writeUInt16BE(CLASS_IN, nameEnd + 2);
  if (edns) {
    bytes[11] = 1; // additional records
    bytes.fill(0, nameEnd + 4);
    bytes.writeUInt16BE(TYPE.OPT, nameEnd + 5);
    bytes.writeUInt16BE(DATAGRAM_BYTES, nameEnd + 7);
  }
  return bytes;
}

/** Each dot becomes the length of the label that follows it. */
function writeName(bytes: Buffer, name: string): void {
  bytes.write(name, HEADER_BYTES + 1, "latin1");
  let lengthAt = HEADER_BYTES;
  for (let i = 0; i < name.length; i++) {
    if (name.charCodeAt(i) !== 0x2e) continue;
    bytes[lengthAt] = HEADER_BYTES + i - lengthAt;
    lengthAt = HEADER_BYTES + 1 + i;
  }
  const end = HEADER_BYTES + 1 + name.length;
  bytes[lengthAt] = end - lengthAt - 1;
  bytes[end] = 0;
}

export function readMessage(bytes: Buffer, question: DnsQuestion): ParsedMessage {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(0) !== question.id) return { kind: "stray" };
  const flags = bytes.readUInt16BE(2);
  if ((flags & FLAG.response) === 0) return { kind: "stray" };
  if ((flags & FLAG.truncated) !== 0) return { kind: "truncated" };
  if (countRecords(bytes) > MAX_RECORDS) return { kind: "malformed" };
  try {
    return readSections(bytes, question, flags);
  } catch {
    return { kind: "malformed" }; // ends too early, or a name that does not end
  }
}

function countRecords(bytes: Buffer): number {
  return bytes.readUInt16BE(4) + bytes.readUInt16BE(6) + bytes.readUInt16BE(8) + bytes.readUInt16BE(10);
}

/** Throws when the message is malformed. */
function readSections(bytes: Buffer, question: DnsQuestion, flags: number): ParsedMessage {
  let offset = HEADER_BYTES;
  const questions = bytes.readUInt16BE(4);
  for (let i = 0; i < questions; i++) {
    const end = skipName(bytes, offset);
    if (i === 0 && !isQuestion(bytes, end, question)) return { kind: "stray" };
    offset = end + 4;
  }

  const records: DnsRecord[] = [];
  for (let left = bytes.readUInt16BE(6); left > 0; left--) {
    const fixed = skipName(bytes, offset); // of the record: type, class, TTL and length of the data
    const end = fixed + 10 + bytes.readUInt16BE(fixed + 8);
    if (end > bytes.length) throw new RangeError("record exceeds the message");
    const record = readRecord(bytes, { offset, fixed, end }, question);
    if (record) records.push(record);
    offset = end;
  }

  let negativeTtlSeconds: number | undefined;
  let hasNameServers = false;
  for (let left = bytes.readUInt16BE(8); left > 0; left--) {
    const fixed = skipName(bytes, offset);
    const type = bytes.readUInt16BE(fixed);
    offset = fixed + 10 + bytes.readUInt16BE(fixed + 8);
    if (type === TYPE.NS) hasNameServers = true;
    if (type !== TYPE.SOA || negativeTtlSeconds !== undefined) continue;
    const numbers = skipName(bytes, skipName(bytes, fixed + 10)); // serial, refresh, retry, expire, minimum
    negativeTtlSeconds = Math.min(readTtl(bytes, fixed + 4), readTtl(bytes, numbers + 16));
  }

  const rcodeBits = flags & 0x000f;
  let rcode = rcodeBits;
  for (let left = bytes.readUInt16BE(10); left > 0; left--) {
    const fixed = skipName(bytes, offset);
    if (bytes.readUInt16BE(fixed) === TYPE.OPT) rcode = rcodeBits | (bytes.readUInt8(fixed + 4) << 4);
    offset = fixed + 10 + bytes.readUInt16BE(fixed + 8);
  }
  if (offset > bytes.length) throw new RangeError("record exceeds the message");

  if (questions === 0) {
    // Some servers leave out the question when they refuse. That is acceptable for an error, not for an answer.
    const isAnswer = rcode === RCODE.noError || rcode === RCODE.nxDomain;
    return isAnswer ? { kind: "malformed" } : errorResponse(rcode);
  }
  const canAnswer = (flags & (FLAG.authoritative | FLAG.recursionAvailable)) !== 0;
  // Neither authoritative nor a resolver, and without the zone's SOA: it cannot know that the name does not exist.
  if (rcode === RCODE.nxDomain && !canAnswer && negativeTtlSeconds === undefined)
    return errorResponse(RCODE.refused);
  const isReferral = (hasNameServers || !canAnswer) && negativeTtlSeconds === undefined;
  return { kind: "reply", rcode, records, negativeTtlSeconds, isReferral };
}

function errorResponse(rcode: number): DnsResponse {
  return { kind: "reply", rcode, records: [], negativeTtlSeconds: undefined, isReferral: false };
}

/** Whether the first question of the message, whose name ends at `end`, is this one. */
function isQuestion(bytes: Buffer, end: number, { name, type }: DnsQuestion): boolean {
  const isSameName = readName(bytes, HEADER_BYTES) === name;
  return isSameName && bytes.readUInt16BE(end) === TYPE[type] && bytes.readUInt16BE(end + 2) === CLASS_IN;
}

type RecordSpan = { offset: number; fixed: number; end: number };

/** Undefined for types and classes that are not used here (signatures …). */
function readRecord(
  bytes: Buffer,
  { offset, fixed, end }: RecordSpan,
  question: DnsQuestion,
): DnsRecord | undefined {
  const type = TYPES_BY_CODE.get(bytes.readUInt16BE(fixed));
  if (!type || bytes.readUInt16BE(fixed + 2) !== CLASS_IN) return undefined;
  const isOfQuestion = bytes[offset] === POINTER && bytes[offset + 1] === HEADER_BYTES; // as nearly always
  const owner = isOfQuestion ? question.name : readName(bytes, offset);
  const ttlSeconds = readTtl(bytes, fixed + 4);
  const start = fixed + 10;
  switch (type) {
    case "A":
      return { owner, type, ttlSeconds, data: readIpv4(bytes, start, end) };
    case "AAAA":
      return { owner, type, ttlSeconds, data: readIpv6(bytes, start, end) };
    case "MX": {
      const data = { preference: bytes.readUInt16BE(start), exchange: readName(bytes, start + 2) };
      return { owner, type, ttlSeconds, data };
    }
    case "TXT":
      return { owner, type, ttlSeconds, data: readStrings(bytes, start, end) };
    default:
      return { owner, type, ttlSeconds, data: readName(bytes, start) };
  }
}

const RECORD_TYPES = ["A", "AAAA", "MX", "TXT", "CNAME", "PTR", "NS"] as const satisfies RecordType[];
const TYPES_BY_CODE = new Map<number, RecordType>(RECORD_TYPES.map((type) => [TYPE[type], type]));

function readIpv4(bytes: Buffer, start: number, end: number): string {
  if (end - start !== 4) throw new RangeError("not an IPv4 address");
  return `${bytes[start]}.${bytes[start + 1]}.${bytes[start + 2]}.${bytes[start + 3]}`;
}

function readIpv6(bytes: Buffer, start: number, end: number): string {
  if (end - start !== 16) throw new RangeError("not an IPv6 address");
  const groups: string[] = [];
  for (let at = start; at < end; at += 2) groups.push(bytes.readUInt16BE(at).toString(16));
  return groups.join(":").replace(/(?:^|:)0(?::0)+(?::|$)/, "::");
}

/** The strings of a TXT record, joined. */
function readStrings(bytes: Buffer, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; ) {
    const next = at + 1 + bytes.readUInt8(at);
    if (next > end) throw new RangeError("string exceeds the record");
    text += bytes.toString("utf8", at + 1, next);
    at = next;
  }
  return text;
}

/** A TTL with the top bit set counts as zero (RFC 2181, 8). */
function readTtl(bytes: Buffer, offset: number): number {
  const ttl = bytes.readUInt32BE(offset);
  return ttl > 0x7fff_ffff ? 0 : ttl;
}

/** Where a name ends: behind its root label or its first pointer. */
function skipName(bytes: Buffer, start: number): number {
  let offset = start;
  for (;;) {
    const length = bytes.readUInt8(offset);
    if (length === 0) return offset + 1;
    if (length >= POINTER) return offset + 2;
    if (length > 63) throw new RangeError("unknown kind of label");
    offset += 1 + length;
  }
}

const nameBytes = Buffer.alloc(MAX_NAME_BYTES);

/** In lower case, without a final dot; the root is ".". Pointers lead backwards only, so every name ends. */
function readName(bytes: Buffer, start: number): string {
  let offset = start;
  let limit = start;
  let size = 0;
  for (;;) {
    const length = bytes.readUInt8(offset);
    if (length === 0) break;
    if (length >= POINTER) {
      offset = bytes.readUInt16BE(offset) & 0x3fff;
      if (offset >= limit) throw new RangeError("pointer does not lead backwards");
      limit = offset;
      continue;
    }
    const end = offset + 1 + length;
    if (length > 63 || end > bytes.length || size + length + 1 > MAX_NAME_BYTES)
      throw new RangeError("label does not fit");
    for (let at = offset + 1; at < end; at++) nameBytes[size++] = bytes[at]!;
    nameBytes[size++] = 0x2e;
    offset = end;
  }
  return size === 0 ? "." : normaliseName(nameBytes.toString("utf8", 0, size - 1));
}
