/** The filter of the results in the URL of the page: names and values are those of the API. */
import type { ResultFilter, ResultSort } from "@mailvet/contract";
import { ALL_SUB_STATUSES, RESULT_SORTS, RESULT_STATUSES } from "@mailvet/contract/words";
import type { ResultChoice } from "@mailvet/sdk";

/** Text as in the URL. */
export type FilterText = Partial<Record<FilterName, string>>;
export type FilterName = keyof ResultFilter | "sort";

/** What the API knows of a text; undefined for nothing. */
type KnownIn = (text: string) => string | undefined;

const oneOf =
  (words: readonly string[]): KnownIn =>
  (text) =>
    words.includes(text) ? text : undefined;
const someOf =
  (words: readonly string[]): KnownIn =>
  (text) => {
    const known = text.split(",").filter((word) => words.includes(word));
    return known.length > 0 ? known.join() : undefined;
  };
/** Above 100 too: the field shows it as typed, and the API says what is wrong. */
const score: KnownIn = (text) => (/^\d{1,3}$/.test(text) ? text : undefined);
const anyText: KnownIn = (text) => text || undefined;

const FILTERS: Readonly<Record<FilterName, KnownIn>> = {
  status: someOf(RESULT_STATUSES),
  sub_status: someOf(ALL_SUB_STATUSES),
  safe_to_send: oneOf(["true", "false"]),
  min_score: score,
  max_score: score,
  provider: anyText,
  domain: anyText,
  q: anyText,
  sort: oneOf(RESULT_SORTS),
};

/** Values that the API does not know are ignored: an old link, or one that was mistyped. */
export function filterIn(search: Readonly<Record<string, string | undefined>>): FilterText {
  const filter: FilterText = {};
  for (const name of Object.keys(FILTERS) as FilterName[]) {
    const text = search[name];
    const known = text === undefined ? undefined : FILTERS[name](text);
    if (known !== undefined) filter[name] = known;
  }
  return filter;
}

export function isNarrowed({ sort: _, ...filter }: FilterText): boolean {
  return Object.keys(filter).length > 0;
}

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
