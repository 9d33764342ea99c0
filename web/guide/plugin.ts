/**
 * Vite plugin: adds the guide to the build of the web app, so that one folder (web/dist) has everything that the service
 * serves. Pages and their Markdown twins are under guide/, scripts and styles with the web app's under assets/.
 * Why not VitePress: docs/decisions/0025-own-guide-build.md.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { type Guide, HOME, readGuide } from "./guide.ts";
import { type Assets, pageHtml } from "./page-template.ts";

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export function guidePlugin(root = fromHere("../..")): Plugin {
  let script = "";
  return {
    name: "mailvet-guide",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "client", // in English only
    buildStart() {
      if (!existsSync(join(root, HOME))) return this.warn(`${HOME} does not exist: built without the guide`);
      script = this.emitFile({ type: "chunk", id: fromHere("../src/guide/main.ts"), name: "guide" });
    },
    generateBundle(_options, bundle) {
      if (script === "") return;
      const guide = readGuide(root);
      for (const problem of guide.problems) this.warn(problem);
      const asset = (name: string, source: string) =>
        `/${this.getFileName(this.emitFile({ type: "asset", name, source }))}`;
      const chunk = bundle[this.getFileName(script)];
      const styles = chunk?.type === "chunk" ? [...(chunk.viteMetadata?.importedCss ?? [])] : [];
      const assets: Assets = {
        script: `/${this.getFileName(script)}`,
        styles: styles.map((name) => `/${name}`),
        theme: asset("guide-theme.js", readFileSync(fromHere("../src/guide/theme.js"), "utf8")),
        sections: asset("guide-sections.json", JSON.stringify(searchSections(guide))),
      };
      for (const [url, source] of outputs(root, guide, assets))
        this.emitFile({ type: "asset", fileName: url.slice(1), source });
    },
  };
}

/** URL → content. The service serves /guide/x.html at /guide/x. */
function outputs(root: string, guide: Guide, assets: Assets): [url: string, content: string | Buffer][] {
  return [
    ...guide.pages.flatMap((page): [string, string][] => [
      [page.url === "/guide" ? "/guide/index.html" : `${page.url}.html`, pageHtml(guide, page, assets)],
      [page.twinUrl, page.twin],
    ]),
    ...[...guide.files].map(([url, path]): [string, Buffer] => [url, readFileSync(join(root, path))]),
    ["/llms.txt", llmsTxt(guide)],
    [
      "/llms-full.txt",
      guide.pages
        .filter(isListedIn(guide))
        .map(({ twin }) => twin)
        .join("\n\n"),
    ],
  ];
}

/** The first sections of the navigation are what most readers look for. */
const SECTION_WEIGHTS = [1, 1, 0.8, 0.4];
const UNLISTED_WEIGHT = 0.2;

function searchSections(guide: Guide) {
  const weights = new Map(
    guide.navigation.flatMap(({ pages }, index) => pages.map(({ path }) => [path, SECTION_WEIGHTS[index]])),
  );
  return guide.pages.flatMap((page) =>
    page.sections.map(({ id, heading, text }, index) => ({
      id: index === 0 ? page.url : `${page.url}#${id}`,
      page: page.title,
      heading,
      text,
      weight: weights.get(page.path) ?? UNLISTED_WEIGHT,
    })),
  );
}

/** Pages of the navigation; others are reached by links only. */
const isListedIn = ({ navigation }: Guide) => {
  const listed = new Set(navigation.flatMap((section) => section.pages.map(({ path }) => path)));
  return ({ path }: { path: string }) => listed.has(path);
};

/** As https://llmstxt.org describes it. */
function llmsTxt({ pages, navigation }: Guide): string {
  const home = pages[0]!;
  const twinOf = new Map(pages.map(({ path, twinUrl }) => [path, twinUrl]));
  const sections = navigation.map(({ title, pages }) => {
    const items = pages.map(
      (page) => `- [${page.title}](${twinOf.get(page.path)})${page.about ? `: ${page.about}` : ""}`,
    );
    return `## ${title}\n\n${items.join("\n")}\n`;
  });
  return [`# Mailvet\n\n> ${home.summary}\n`, ...sections].join("\n");
}
