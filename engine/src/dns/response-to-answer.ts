/** Interprets one response for one name: follows the CNAMEs in it and classifies the result. */
import type { DnsAnswer, DnsFailure, RecordData, RecordType } from "./dns-answer.ts";
import { type DnsRecord, type DnsResponse, RCODE } from "./dns-message.ts";

/** An answer, or a CNAME whose target the response does not cover and which must be queried. */
export type ResponseResult<T extends RecordType> =
  | DnsAnswer<T>
  | { status: "alias"; target: string; ttlSeconds: number };

export const MAX_ALIASES = 8;

const DEFAULT_NEGATIVE_TTL_SECONDS = 60; // for servers that leave out the SOA record

export function readResponse<T extends RecordType>(
  response: DnsResponse,
  name: string,
  type: T,
): ResponseResult<T> {
  const failure = failureOf(response);
  if (failure) return { status: failure };

  let owner = name;
  let ttlSeconds = Number.POSITIVE_INFINITY;
  for (let hops = 0; hops <= MAX_ALIASES; hops++) {
    const records: RecordData[T][] = [];
    let alias: DnsRecord | undefined;
    for (const record of response.records) {
      if (record.owner !== owner) continue;
      if (record.type === type) {
        records.push(record.data as RecordData[T]);
        ttlSeconds = Math.min(ttlSeconds, record.ttlSeconds);
      } else if (record.type === "CNAME") alias = record;
    }
    if (records.length > 0) return { status: "answer", records, ttlSeconds };
    if (alias?.type !== "CNAME") return endOfChain(response, { isAliased: hops > 0, owner, ttlSeconds });
    ttlSeconds = Math.min(ttlSeconds, alias.ttlSeconds);
    owner = alias.data;
  }
  return { status: "alias_loop" };
}

/** Failures by RCODE. Codes not listed count as servfail. */
const FAILURE_BY_RCODE: Readonly<Record<number, DnsFailure | undefined>> = {
  [RCODE.noError]: undefined,
  [RCODE.nxDomain]: undefined,
  [RCODE.formErr]: "malformed",
  [RCODE.notImp]: "refused",
  [RCODE.refused]: "refused",
};

export function failureOf({ rcode, records, isReferral }: DnsResponse): DnsFailure | undefined {
  if (!(rcode in FAILURE_BY_RCODE)) return "servfail";
  // A referral comes from a server that does not recurse for us. It is not an empty answer.
  if (rcode === RCODE.noError && isReferral && records.length === 0) return "refused";
  return FAILURE_BY_RCODE[rcode];
}

type ChainEnd = { isAliased: boolean; owner: string; ttlSeconds: number };

function endOfChain(response: DnsResponse, { isAliased, owner, ttlSeconds }: ChainEnd) {
  const { rcode, records, negativeTtlSeconds } = response;
  // RFC 2308, 2.1: RCODE and SOA refer to the last name of the chain.
  const isNegative = rcode === RCODE.nxDomain || negativeTtlSeconds !== undefined;
  if (isAliased && !isNegative) return { status: "alias" as const, target: owner, ttlSeconds };
  // Only records that were not asked for: not an answer, and not an empty one.
  if (!isNegative && records.length > 0) return { status: "malformed" as const };
  return {
    status: rcode === RCODE.nxDomain ? ("nxdomain" as const) : ("nodata" as const),
    ttlSeconds: Math.min(ttlSeconds, negativeTtlSeconds ?? DEFAULT_NEGATIVE_TTL_SECONDS),
  };
}
