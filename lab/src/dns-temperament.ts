/**
 * Temperaments of a name server: how the response for a name is dropped, delayed or corrupted.
 *
 * A temperament maps a query to faults in its response. Temperaments compose:
 * `combineTemperaments(slow(200), truncated)` is both. A test may define its own.
 */

/** DNS response codes (RFC 1035, 4.1.1). */
export const RCODE = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5 } as const;
export type Rcode = (typeof RCODE)[keyof typeof RCODE];

export type DnsTemperament = (query: QueryInfo) => ResponseFaults;

export type QueryInfo = {
  /** Number of queries for this name and type, including this one. */
  nth: number;
  transport: "udp" | "tcp";
  /** Whether the query has EDNS0. */
  edns: boolean;
};

/** Changes to the correct response; empty for none. */
export type ResponseFaults = {
  drop?: boolean;
  delayMs?: number;
  rcode?: Rcode;
  /** Send header and question only, with the TC bit. */
  truncate?: boolean;
  /** Return the CNAME without its target. */
  aliasOnly?: boolean;
  /** Replace the bytes of the message. */
  rewrite?: (message: Buffer) => Buffer;
  /** Send this before the response. */
  ahead?: (message: Buffer) => Buffer;
};

export const servfail: DnsTemperament = () => ({ rcode: RCODE.servFail });
export const refused: DnsTemperament = () => ({ rcode: RCODE.refused });
export const silent: DnsTemperament = () => ({ drop: true });

/** Truncates over UDP, so that the client has to use TCP. */
export const truncated: DnsTemperament = ({ transport }) => ({ truncate: transport === "udp" });

/** An old server that answers EDNS0 with FORMERR. */
export const noEdns: DnsTemperament = ({ edns }) => (edns ? { rcode: RCODE.formErr } : {});

/** Valid header, then a compressed name that points to itself. */
export const garbage: DnsTemperament = () => ({ rewrite: scramble });

/** A spoofed response arrives first: right question, wrong ID, forged address. */
export const spoofedFirst: DnsTemperament = () => ({ ahead: forge });

/** Returns aliases without resolving them. */
export const aliasOnly: DnsTemperament = () => ({ aliasOnly: true });

export const slow =
  (delayMs: number): DnsTemperament =>
  () => ({ delayMs });

export const dropsFirst =
  (count: number): DnsTemperament =>
  ({ nth }) => ({ drop: nth <= count });

/** Several temperaments at once; on conflict the later one wins. */
export const combineTemperaments =
  (...temperaments: DnsTemperament[]): DnsTemperament =>
  (query) =>
    Object.assign({}, ...temperaments.map((temperament) => temperament(query)));

function scramble(message: Buffer): Buffer {
  const endlessName = Buffer.from([0xc0, 0x0c, 0xff, 0xff, 0xc0, 0x0e, 0xc0, 0x0c]);
  return Buffer.concat([message.subarray(0, 12), endlessName]);
}

function forge(message: Buffer): Buffer {
  const forged = Buffer.from(message);
  forged.writeUInt16BE(forged.readUInt16BE(0) ^ 0x5555, 0);
  forged.writeUInt8((forged.at(-1) ?? 0) ^ 0xff, forged.length - 1); // the last octet of an A record's address
  return forged;
}
