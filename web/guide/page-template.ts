/**
 * The layout of a page of the guide: header, navigation, the page, its headings, the neighbours. The API reference and the
 * problem pages have the same frame, which the service fills in.
 */
import type { Guide, GuidePage } from "./guide.ts";
import { escapeHtml } from "./markdown.ts";

/** URLs of the built files. */
export type Assets = { script: string; styles: readonly string[]; theme: string; sections: string };

const links = (...all: readonly (readonly [url: string, name: string])[]) =>
  all.map(([url, name]) => `<a href="${url}">${name}</a>`).join("");

const SERVICE_LINKS = links(["/", "Web app"], ["/docs", "API reference"], ["/docs/problems", "Problems"]);
const DOCS_LINKS = links(
  ["/", "Web app"],
  ["/guide", "Guide"],
  ["/docs", "API reference"],
  ["/docs/problems", "Problems"],
  ["/api/v1/openapi.json", "OpenAPI document"],
);

export function pageHtml(guide: Guide, page: GuidePage, assets: Assets): string {
  return frame(assets, {
    title: escapeHtml(page.url === "/guide" ? "Mailvet guide" : `${page.title} · Mailvet guide`),
    description: escapeHtml(page.summary),
    head: `<link rel="alternate" type="text/markdown" href="${page.twinUrl}">`,
    brand: '<a class="brand" href="/guide">',
    section: "Guide",
    search: SEARCH,
    links: SERVICE_LINKS,
    body: `<div class="columns">
<details class="menu">
<summary>Contents</summary>
${navigation(guide, page)}
<p class="section">Service</p>
${SERVICE_LINKS}
</details>
<nav class="side" aria-label="Guide">
${navigation(guide, page)}
</nav>
<main id="main" tabindex="-1">
<article>
${page.html}
</article>
<footer>
${neighbours(guide, page)}
<p><a href="${page.twinUrl}">This page as Markdown</a> · <a href="/llms.txt">llms.txt</a></p>
</footer>
</main>
${headings(page)}
</div>`,
  });
}

/** For service/src/http/static/docs-layout.ts, which replaces the words in underscores. */
export function docsLayout(assets: Assets): string {
  return frame(assets, {
    title: "__TITLE__",
    description: "__DESCRIPTION__",
    head: "__HEAD__",
    brand: '<a class="brand" href="/docs">',
    section: "API",
    search: "",
    links: DOCS_LINKS,
    body: `<details class="menu service">
<summary>Menu</summary>
${DOCS_LINKS}
</details>
__BODY__`,
  });
}

const SEARCH = `<form class="search" role="search" hidden>
<input type="search" aria-label="Search the guide" placeholder="Search" autocomplete="off">
<div class="results" hidden></div>
<p class="visually-hidden" role="status"></p>
</form>`;

type FrameParts = {
  title: string;
  description: string;
  head: string;
  brand: string;
  section: string;
  search: string;
  links: string;
  body: string;
};

function frame(assets: Assets, parts: FrameParts): string {
  const styles = assets.styles.map((url) => `<link rel="stylesheet" href="${url}">`).join("");
  return `<!doctype html>
<html lang="en" data-sections="${assets.sections}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${parts.description}">
<title>${parts.title}</title>
<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<script src="${assets.theme}"></script>
${styles}
<script type="module" src="${assets.script}"></script>
${parts.head}
</head>
<body>
<a class="skip-link" href="#main">Skip to content</a>
<header>
${parts.brand}<img src="/favicon.svg" alt="" width="28" height="28">Mailvet <span>${parts.section}</span></a>
${parts.search}
<nav class="links" aria-label="Service">${parts.links}</nav>
<select class="theme" aria-label="Theme" hidden><option value="auto">System</option><option value="light">Light</option><option value="dark">Dark</option></select>
</header>
${parts.body}
</body>
</html>
`;
}

function navigation({ pages, navigation }: Guide, page: GuidePage): string {
  const urlOf = new Map(pages.map(({ path, url }) => [path, url]));
  return navigation
    .map(({ title, pages }) => {
      const items = pages.map(({ path, title }) => {
        const isCurrent = path === page.path ? ' aria-current="page"' : "";
        return `<li><a href="${urlOf.get(path)}"${isCurrent}>${escapeHtml(title)}</a></li>`;
      });
      return `<p class="section">${escapeHtml(title)}</p>\n<ul>${items.join("")}</ul>`;
    })
    .join("\n");
}

const MIN_HEADINGS = 3;

function headings({ headings }: GuidePage): string {
  const inside = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (inside.length < MIN_HEADINGS) return "";
  const items = inside.map(
    ({ depth, text, id }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p class="section">On this page</p><ul>${items.join("")}</ul></nav>`;
}

function neighbours({ pages, navigation }: Guide, page: GuidePage): string {
  const listed = navigation.flatMap((section) => section.pages);
  const index = listed.findIndex(({ path }) => path === page.path);
  const link = (name: string, at: number) => {
    const found = pages.find(({ path }) => path === listed[at]?.path);
    return found
      ? `<a class="${name.toLowerCase()}" href="${found.url}"><span>${name}</span>${escapeHtml(listed[at]!.title)}</a>`
      : "";
  };
  const isListed = index >= 0 || page.url === "/guide";
  return isListed
    ? `<nav class="neighbours" aria-label="Next and previous page">${link("Previous", index - 1)}${link("Next", index + 1)}</nav>`
    : "";
}
