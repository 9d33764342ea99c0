/** The filter of the results in the URL of the page: names and values are those of the API. */
import type { ResultFilter, ResultSort } from "@mailvet/contract";
import type { ResultChoice } from "@mailvet/sdk";

/** Text as in the URL. */
export type FilterText = Partial<Record<FilterName, string>>;
export type FilterName = keyof ResultFilter | "sort";

const NAMES: readonly FilterName[] = [
  "status",
  "sub_status",
  "safe_to_send",
  "min_score",
  "max_score",
  "provider",
  "domain",
  "q",
  "sort",
];

export function filterIn(search: Readonly<Record<string, string | undefined>>): FilterText {
  const filter: FilterText = {};
  for (const name of NAMES) {
    const text = search[name];
    if (text !== undefined && (text !== "" || name === "sub_status")) filter[name] = text;
  }
  return filter;
}

export function isNarrowed({ sort: _, ...filter }: FilterText): boolean {
  return Object.keys(filter).length > 0;
}

/** Values that the API does not know are refused by it, with a message that names them. */
export function choiceOf(filter: FilterText): ResultChoice {
  const { status, sub_status, safe_to_send, min_score, max_score, provider, domain, q, sort } = filter;
  return {
    status: status as ResultChoice["status"],
    subStatus: sub_status as ResultChoice["subStatus"],
    safeToSend: safe_to_send === undefined ? undefined : safe_to_send === "true",
    minScore: min_score === undefined ? undefined : Number(min_score),
    maxScore: max_score === undefined ? undefined : Number(max_score),
    provider,
    domain,
    q,
    sort: sort as ResultSort | undefined,
  };
}

export type SetFilter = (changes: Partial<Record<FilterName, string | undefined>>) => void;
