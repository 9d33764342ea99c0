/**
 * The guide: Markdown pages of the repository, reached by links from docs/README.md, whose lists are the navigation.
 *
 * Reads and resolves, writes nothing. markdown.ts renders a page, page-template.ts puts it into the layout, plugin.ts adds
 * the result to the web app's build. A link that leads nowhere is a problem, which scripts/docs.test.ts refuses; the build
 * goes on without it.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, normalize } from "node:path";
import { anchorsOf, type Heading, isExternal, linksIn, type RenderedPage, renderPage } from "./markdown.ts";

export const HOME = "docs/README.md";

export type GuidePage = RenderedPage & {
  /** In the repository. */
  path: string;
  /** Of the HTML page; its Markdown is at twinUrl. */
  url: string;
  twinUrl: string;
  /** Markdown with links to other twins. */
  twin: string;
};

export type NavigationSection = { title: string; pages: { path: string; title: string; about: string }[] };

export type Guide = {
  /** In the order of the navigation, then as they were reached. */
  pages: GuidePage[];
  navigation: NavigationSection[];
  /** Images and other linked files: URL → path in the repository. */
  files: Map<string, string>;
  problems: string[];
};

export function readGuide(root: string): Guide {
  const sources = readReachable(root);
  const problems = [...sources].flatMap(([path, markdown]) => linkProblems(root, path, markdown));
  const files = new Map<string, string>();
  const urlFrom = (page: string, extension: "" | ".md") => (link: string) => {
    if (isExternal(link) || link.startsWith("#")) return link;
    const [target = "", anchor] = link.split("#");
    const path = targetOf(root, page, target);
    if (path === undefined) return undefined;
    const hash = anchor === undefined ? "" : `#${anchor}`;
    if (sources.has(path)) return (extension ? twinUrlOf(path) : urlOf(path)) + hash;
    files.set(fileUrlOf(path), path);
    return fileUrlOf(path);
  };
  const pages = [...sources].map(([path, markdown]) => ({
    path,
    url: urlOf(path),
    twinUrl: twinUrlOf(path),
    twin: withLinks(markdown, urlFrom(path, ".md")),
    ...renderPage(markdown, urlFrom(path, "")),
  }));
  const navigation = navigationIn(root, sources.get(HOME) ?? "");
  const rank = new Map(
    navigation.flatMap((section) => section.pages).map(({ path }, index) => [path, index]),
  );
  const rankOf = ({ path }: GuidePage) => (path === HOME ? -1 : (rank.get(path) ?? rank.size));
  return { pages: pages.sort((a, b) => rankOf(a) - rankOf(b)), navigation, files, problems };
}

/** Path → Markdown, breadth first. */
function readReachable(root: string): Map<string, string> {
  const sources = new Map<string, string>();
  const waiting = [HOME];
  for (const path of waiting) {
    if (sources.has(path)) continue;
    const markdown = readFileSync(join(root, path), "utf8");
    sources.set(path, markdown);
    for (const link of linksIn(markdown)) {
      const target = isExternal(link) ? undefined : targetOf(root, path, link.split("#", 1)[0]!);
      if (target?.endsWith(".md")) waiting.push(target);
    }
  }
  return sources;
}

/** Links of a page that lead nowhere. Of external ones only the syntax is checked. */
export function linkProblems(root: string, path: string, markdown: string): string[] {
  return linksIn(markdown).flatMap((link) => {
    if (isExternal(link)) return URL.canParse(link) ? [] : [`${path}: ${link} is not a URL`];
    const [target = "", anchor] = link.split("#");
    const file = target === "" ? path : targetOf(root, path, target);
    if (file === undefined)
      return existsSync(join(root, dirname(path), target)) ? [] : [`${path}: ${link} does not exist`];
    if (anchor === undefined || !file.endsWith(".md")) return [];
    const anchors = anchorsOf(file === path ? markdown : readFileSync(join(root, file), "utf8"));
    return anchors.includes(anchor) ? [] : [`${path}: ${link} has no such heading`];
  });
}

/** The linked file; of a folder its README. Undefined for other folders, outside the repository, or when it does not exist. */
function targetOf(root: string, from: string, link: string): string | undefined {
  const path = normalize(join(dirname(from), decodeURIComponent(link))).replace(/\/$/, "");
  if (path.startsWith("..") || !existsSync(join(root, path))) return undefined;
  if (statSync(join(root, path)).isFile()) return path;
  const readme = join(path, "README.md");
  return existsSync(join(root, readme)) ? readme : undefined;
}

const slugOf = (path: string) =>
  path
    .replace(/^docs\//, "")
    .replace(/\.md$/, "")
    .replace(/\/README$/, "")
    .toLowerCase();
const urlOf = (path: string) => (path === HOME ? "/guide" : `/guide/${slugOf(path)}`);
const twinUrlOf = (path: string) => (path === HOME ? "/guide/index.md" : `/guide/${slugOf(path)}.md`);

const IMAGES = [".png", ".svg", ".webp"];
/** Settings and configuration are shown as text. */
const fileUrlOf = (path: string) =>
  `/guide/files/${path.replace(/^\.|\/\./g, (dot) => dot.replace(".", "dot-"))}${IMAGES.includes(extname(path)) ? "" : ".txt"}`;

/** Sections of docs/README.md with items of the form "- [Title](page.md): what it is about". */
function navigationIn(root: string, home: string): NavigationSection[] {
  return home
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf("\n")),
      pages: [...section.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\)(?:: (.+(?:\n {2}.+)*))?/gm)].flatMap(
        ([, title = "", link = "", about = ""]) => {
          const path = targetOf(root, HOME, link);
          return path === undefined ? [] : [{ path, title, about: about.replaceAll(/\s+/g, " ") }];
        },
      ),
    }))
    .filter(({ pages }) => pages.length > 0);
}

function withLinks(markdown: string, urlOf: (link: string) => string | undefined): string {
  return markdown.replaceAll(
    /\]\(([^()\s]+)\)/g,
    (whole, link: string) => `](${urlOf(link) ?? whole.slice(2, -1)})`,
  );
}

export type { Heading };
