/** Texts of the guide's search and code blocks. The pages are in docs/. */
import { plural } from "../components/number-format.ts";

export const messages = {
  noResults: (query: string) => `Nothing found for “${query}”.`,
  results: (count: number) => plural(count, "result"),
  copy: "Copy",
  copied: "Copied",
} as const;
