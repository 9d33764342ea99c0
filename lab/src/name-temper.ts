/**
 * The moods of a name server: how the answer for one name is withheld, delayed or spoilt.
 *
 * A temper looks at how it was asked and says what to do with the honest answer. Tempers compose:
 * `tempers(slow(200), truncated)` is both. A test may bring its own.
 */
import { RCODE, type Rcode } from "./rcode.ts";

export type NameTemper = (asked: Asked) => Treatment;

export type Asked = {
  /** How many times this name and type have been asked, this time included. */
  nth: number;
  transport: "udp" | "tcp";
  /** Whether the question carried EDNS0. */
  edns: boolean;
};

/** What to do with the honest answer; an empty treatment sends it as it is, at once. */
export type Treatment = {
  drop?: boolean;
  delayMs?: number;
  rcode?: Rcode;
  /** Send the header and question alone, with the TC bit. */
  truncate?: boolean;
  /** Tell the alias, and leave its target to whoever asks. */
  aliasOnly?: boolean;
  /** Change the bytes on the wire. */
  rewrite?: (message: Buffer) => Buffer;
  /** Send this first, then the answer proper. */
  ahead?: (message: Buffer) => Buffer;
};

export const servfail: NameTemper = () => ({ rcode: RCODE.servFail });
export const refused: NameTemper = () => ({ rcode: RCODE.refused });
export const silent: NameTemper = () => ({ drop: true });

/** Too large for a datagram: the whole answer is only to be had over TCP. */
export const truncated: NameTemper = ({ transport }) => ({ truncate: transport === "udp" });

/** An old server that does not know EDNS0 and says so with FORMERR. */
export const knowsNoEdns: NameTemper = ({ edns }) => (edns ? { rcode: RCODE.formErr } : {});

/** Answers the right question with nonsense: a sound header, then a name that points to itself for ever. */
export const garbage: NameTemper = () => ({ rewrite: scramble });

/** Someone else's answer arrives first: right question, wrong id, and an address of their choosing. */
export const spoofedFirst: NameTemper = () => ({ ahead: forge });

/** A server that tells an alias but never looks up what it stands for. */
export const aliasOnly: NameTemper = () => ({ aliasOnly: true });

export const slow =
  (delayMs: number): NameTemper =>
  () => ({ delayMs });

export const dropsFirst =
  (count: number): NameTemper =>
  ({ nth }) => ({ drop: nth <= count });

/** Several tempers at once; where two say something of the same thing, the later one wins. */
export const tempers =
  (...all: NameTemper[]): NameTemper =>
  (asked) =>
    Object.assign({}, ...all.map((temper) => temper(asked)));

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
