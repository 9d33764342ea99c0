/**
 * Markdown as GitHub shows it, as HTML that needs no inline script or style: headings with GitHub's anchors, tables that
 * scroll on their own, and the sections of a page for the search.
 */
import { Marked, type Token, type Tokens } from "marked";

export type Heading = { depth: number; text: string; id: string };
/** The text between two headings, for the search. */
export type Section = { id: string; heading: string; text: string };
export type RenderedPage = {
  title: string;
  /** The first paragraph. */
  summary: string;
  html: string;
  headings: Heading[];
  sections: Section[];
};

export const isExternal = (link: string) => /^[a-z][a-z\d+.-]*:/i.test(link);

/** Of a picture with a version for each colour scheme, which Markdown has no syntax for. */
const IMAGE_SOURCE = /\b(src|srcset)="([^"]+)"/g;

/** Every link and image of a page, in order. */
export function linksIn(markdown: string): string[] {
  const links: string[] = [];
  const marked = new Marked();
  marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type === "link" || token.type === "image") links.push((token as Tokens.Link).href);
    if (token.type === "html")
      links.push(...[...token.raw.matchAll(IMAGE_SOURCE)].map(([, , link]) => link!));
  });
  return links;
}

export const anchorsOf = (markdown: string) => headingsIn(new Marked().lexer(markdown)).map(({ id }) => id);

/** `urlOf` returns where a link of this page leads to on the site; undefined: it becomes plain text. */
export function renderPage(source: string, urlOf: (link: string) => string | undefined): RenderedPage {
  const marked = new Marked();
  const tokens = marked.lexer(source.replaceAll(/^<!--[\s\S]*?-->\n?/gm, ""));
  const headings = headingsIn(tokens);
  const remaining = headings.values();
  marked.use({
    renderer: {
      heading({ tokens, depth }) {
        const { id, text } = remaining.next().value!;
        const anchor =
          depth === 1
            ? ""
            : ` <a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(text)}”">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const url = urlOf(href);
        return url === undefined ? content : `<a href="${escapeHtml(url)}">${content}</a>`;
      },
      image({ href, text }) {
        const url = urlOf(href);
        if (url === undefined) return escapeHtml(text);
        return `<img src="${escapeHtml(url)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      html({ text }) {
        return text.replaceAll(
          IMAGE_SOURCE,
          (_, name: string, link: string) => `${name}="${escapeHtml(urlOf(link) ?? link)}"`,
        );
      },
      codespan({ text }) {
        const escaped = escapeHtml(unescapeHtml(text));
        return `<code>${text.length > MAX_UNBROKEN ? escaped.replaceAll(/[=/,?]+/g, "$&<wbr>") : escaped}</code>`;
      },
      code({ text, lang }) {
        return `<div class="code"><pre tabindex="0"><code data-language="${escapeHtml(lang ?? "")}">${escapeHtml(text)}</code></pre></div>\n`;
      },
      table(token) {
        const cells = (row: Tokens.TableCell[], tag: "th" | "td") =>
          row
            .map((cell) => (tag === "th" && cell.text === "" ? { ...cell, tag: "td" } : { ...cell, tag }))
            .map(({ tag, tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`)
            .join("");
        const rows = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
        return `<div class="table" role="region" aria-label="Table" tabindex="0"><table><thead><tr>${cells(token.header, "th")}</tr></thead><tbody>\n${rows}\n</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parser(tokens);
  const paragraph = tokens.find(({ type }) => type === "paragraph");
  return {
    title: headings[0]?.text ?? "",
    summary: paragraph ? plainText([paragraph]).replaceAll(/\s+/g, " ").trim() : "",
    html,
    headings,
    sections: sectionsIn(tokens, headings),
  };
}

/** Longer identifiers, such as settings with a URL, may be broken in the cell of a table. */
const MAX_UNBROKEN = 24;

function headingsIn(tokens: Token[]): Heading[] {
  const used = new Map<string, number>();
  return tokens
    .filter((token): token is Tokens.Heading => token.type === "heading")
    .map(({ depth, tokens }) => {
      const text = plainText(tokens);
      const id = text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(/\s/g, "-");
      const count = used.get(id) ?? 0;
      used.set(id, count + 1);
      return { depth, text, id: count === 0 ? id : `${id}-${count}` };
    });
}

function sectionsIn(tokens: Token[], headings: readonly Heading[]): Section[] {
  const remaining = headings.values();
  const sections: Section[] = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const { id, text } = remaining.next().value!;
      sections.push({ id, heading: text, text: "" });
    } else if (sections.length > 0) {
      const section = sections.at(-1)!;
      section.text = `${section.text} ${plainText([token])}`.replaceAll(/\s+/g, " ").trim();
    }
  }
  return sections;
}

/** Without markup. */
function plainText(tokens: Token[]): string {
  return tokens.map(textOf).join("");
}

function textOf(token: Token): string {
  switch (token.type) {
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(" ")).join(" ");
    }
    case "list":
      return (token as Tokens.List).items.map((item) => `${plainText(item.tokens)} `).join("");
    case "html":
      return "";
    case "br":
    case "space":
      return " ";
    default:
      if ("tokens" in token && token.tokens) return plainText(token.tokens);
      return "text" in token ? unescapeHtml(String(token.text)) : "";
  }
}

const ENTITIES = [
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
] as const;
export const escapeHtml = (text: string) =>
  ENTITIES.reduce((escaped, [character, entity]) => escaped.replaceAll(character, entity), text);
const unescapeHtml = (text: string) =>
  ENTITIES.reduceRight((plain, [character, entity]) => plain.replaceAll(entity, character), text);
