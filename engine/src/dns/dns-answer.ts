/**
 * The result of a DNS query. Everything a name server can do is one of these values.
 *
 * The distinction that matters is between a negative answer (nxdomain, nodata) and a failure: only a negative answer
 * may ever count against a domain.
 */

export type DnsAnswer<T extends RecordType = RecordType> =
  | {
      status: "answer";
      readonly records: readonly RecordData[T][];
      /** Remaining TTL. */
      ttlSeconds: number;
    }
  | { status: "nxdomain"; ttlSeconds: number }
  | { status: "nodata"; ttlSeconds: number }
  | { status: DnsFailure };

/** Record data by type. Names are in lower case without a final dot; the root is ".". */
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

/** Failures. When several servers failed differently, the first in this order is reported. */
export const DNS_FAILURES = [
  "servfail", //    the server could not resolve the name
  "refused", //     the server does not serve this client
  "malformed", //   the response is not a valid DNS message
  "unreachable", // no server listens there
  "timeout", //     no response
  "alias_loop", //  a CNAME loop, or a chain that is too long
  "unaskable", //   the name cannot be encoded in a query, or is an IP address
  "closed", //      the resolver was closed meanwhile
] as const;
export type DnsFailure = (typeof DNS_FAILURES)[number];

export function isFailure(answer: DnsAnswer): answer is { status: DnsFailure } {
  return (DNS_FAILURES as readonly string[]).includes(answer.status);
}
