/**
 * What a page of the guide, and of the API reference, does in the browser: search, theme, copying of code blocks. Pages can be read without it.
 * The text of all pages is fetched and indexed when the search is first used.
 */
import "./guide.css";
import MiniSearch, { type SearchResult } from "minisearch";
import { messages } from "./messages.ts";

/** Made by web/guide/plugin.ts. */
type SearchSection = {
  /** The URL. */
  id: string;
  page: string;
  heading: string;
  text: string;
  /** Lower for pages outside the navigation, such as decisions. */
  weight: number;
};

const MAX_RESULTS = 8;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 160;
const STOP_WORDS = new Set([
  "a",
  "all",
  "an",
  "and",
  "do",
  "how",
  "i",
  "in",
  "is",
  "of",
  "the",
  "to",
  "what",
  "why",
]);
const THEME_KEY = "mantine-color-scheme-value"; // as in theme.js

const searchForm = document.querySelector<HTMLFormElement>(".search");
if (searchForm) setUpSearch(searchForm); // pages of the API reference have none
setUpTheme();
setUpCopying();

function setUpSearch(form: HTMLFormElement): void {
  const input = form.querySelector("input")!;
  const results = form.querySelector<HTMLElement>(".results")!;
  const status = form.querySelector<HTMLElement>("[role=status]")!;
  let loading: Promise<MiniSearch<SearchSection>> | undefined;
  form.hidden = false;

  const close = () => {
    results.hidden = true;
  };
  const search = async () => {
    loading ??= loadIndex();
    const index = await loading;
    const query = input.value.trim();
    if (query === "") return close();
    const found = index.search(query).slice(0, MAX_RESULTS);
    status.textContent = found.length > 0 ? messages.results(found.length) : messages.noResults(query);
    results.replaceChildren(...(found.length > 0 ? found.map(resultLink) : [emptyText(query)]));
    results.hidden = false;
  };
  input.addEventListener("focus", () => {
    loading ??= loadIndex();
  });
  input.addEventListener("input", () => void search());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void search().then(() => results.querySelector("a")?.click());
  });
  form.addEventListener("keydown", (event) => {
    const links = [...results.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === "Escape") {
      close();
      input.focus();
    } else if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === "ArrowUp" && at >= 0) (links[at - 1] ?? input).focus();
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    if (!form.contains(event.target as Node) || (event.target as Element).closest("a")) close();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = document.activeElement?.matches("input, select, textarea");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

async function loadIndex(): Promise<MiniSearch<SearchSection>> {
  const response = await fetch(document.documentElement.dataset.sections!);
  const index = new MiniSearch<SearchSection>({
    fields: ["page", "heading", "text"],
    storeFields: ["page", "heading", "text", "weight"],
    // Identifiers are found whole and by their parts: "sub_status", "EHLO_NAME", "/bulk/jobs".
    tokenize: (text) => text.split(/[\s\p{Z}\p{P}=<>|`$+]+/u).filter(Boolean),
    processTerm: (term) => (STOP_WORDS.has(term.toLowerCase()) ? null : term.toLowerCase()),
    searchOptions: {
      boost: { heading: 4, page: 2 },
      boostDocument: (_id, _term, section) => Number(section?.weight ?? 1),
      prefix: true,
      fuzzy: (term) => term.length > 5 && 0.15,
      combineWith: "AND",
    },
  });
  index.addAll((await response.json()) as SearchSection[]);
  return index;
}

function resultLink({ id, page, heading, text, terms }: SearchResult): HTMLElement {
  const link = document.createElement("a");
  link.href = id;
  const title = document.createElement("strong");
  title.textContent = heading === page ? page : `${page} › ${heading}`;
  const excerpt = document.createElement("span");
  excerpt.textContent = excerptOf(text, terms);
  link.append(title, excerpt);
  return link;
}

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.min(...terms.map((term) => lower.indexOf(term)).filter((index) => index >= 0));
  const from = Number.isFinite(at) ? Math.max(0, at - EXCERPT_BEFORE) : 0;
  return (from > 0 ? "…" : "") + text.slice(from, from + EXCERPT_LENGTH);
}

function emptyText(query: string): HTMLElement {
  const text = document.createElement("p");
  text.textContent = messages.noResults(query);
  return text;
}

function setUpTheme(): void {
  const select = document.querySelector<HTMLSelectElement>(".theme")!;
  select.value = localStorage.getItem(THEME_KEY) ?? "auto";
  select.hidden = false;
  select.addEventListener("change", () => {
    localStorage.setItem(THEME_KEY, select.value);
    dispatchEvent(new StorageEvent("storage")); // theme.js applies it
  });
}

function setUpCopying(): void {
  if (!navigator.clipboard) return; // only over https and on localhost
  for (const block of document.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = messages.copy;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.querySelector("code")!.textContent ?? "");
      button.textContent = messages.copied;
    });
    block.append(button);
  }
}
