/**
 * What a question to the name servers comes to. Everything a stranger's server can do is one of these values.
 *
 * The line that matters runs between "the name server says there is nothing" (nxdomain, nodata) and "we could
 * not find out" (the failures): only the first may ever be held against a domain.
 */

export type DnsAnswer<T extends RecordType = RecordType> =
  | {
      status: "answer";
      readonly records: readonly RecordData[T][];
      /** How much longer the answer may be relied on. */
      ttlSeconds: number;
    }
  | { status: "nxdomain"; ttlSeconds: number }
  | { status: "nodata"; ttlSeconds: number }
  | { status: DnsFailure };

/** What a record of each type holds. Names are in lower case without a final dot; the root is ".". */
export type RecordData = {
  A: string;
  AAAA: string;
  MX: { preference: number; exchange: string };
  /** The strings of the record, joined. */
  TXT: string;
  CNAME: string;
  PTR: string;
  NS: string;
};
export type RecordType = keyof RecordData;

/** Why we could not find out. When several servers failed differently, the first in this order is told. */
export const DNS_FAILURES = [
  "servfail", //    the server tried and could not
  "refused", //     the server will not work for us
  "malformed", //   what came back is not a DNS answer
  "unreachable", // nothing listens there
  "timeout", //     silence
  "alias_loop", //  aliases that lead in a circle, or on and on
  "unaskable", //   no name server can be asked for such a name
  "closed", //      the resolver was closed meanwhile
] as const;
export type DnsFailure = (typeof DNS_FAILURES)[number];

export function isFailure(answer: DnsAnswer): answer is { status: DnsFailure } {
  return (DNS_FAILURES as readonly string[]).includes(answer.status);
}
