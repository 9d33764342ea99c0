/** The documentation: links lead somewhere, pages can be found, and tables have what the code has. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { linkProblems, readGuide } from "../web/guide/guide.ts";
import { linksIn, renderPage } from "../web/guide/markdown.ts";
import { tourPage } from "../web/test/screenshots/tour-steps.ts";
import { documentsIn, withTables } from "./docs-tables.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const guide = readGuide(ROOT);

test("every link in a Markdown file leads to a file and a heading", () => {
  const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const paths = stdout.trim().split("\n");
  expect(paths.length).toBeGreaterThan(30);
  const problems = paths.flatMap((path) => linkProblems(ROOT, path, readFileSync(join(ROOT, path), "utf8")));
  expect(problems).toEqual([]);
  expect(guide.problems).toEqual([]);
});

/** The pictures of the design review would be two megabytes of every installation's guide. */
const NOT_LISTED = ["docs/README.md", "docs/design-review.md"];

test("every page of docs/ is in the navigation of docs/README.md", () => {
  const listed = guide.navigation.flatMap(({ pages }) => pages.map(({ path }) => path));
  const pages = documentsIn().map((path) => relative(ROOT, path));
  expect(pages.filter((path) => !NOT_LISTED.includes(path) && !listed.includes(path))).toEqual([]);
});

test.each(documentsIn())("the tables of %s are up to date (npm run docs:tables)", (path) => {
  const document = readFileSync(path, "utf8");
  expect(withTables(document)).toBe(document);
});

test("a table keeps the columns that are written by hand", () => {
  const table = (rows: string) =>
    `<!-- table result-columns -->\n| column | note |\n|---|---|\n${rows}<!-- /table -->\n`;
  const updated = withTables(table("| `mailvet_score` | 0 to 100 |\n| `mailvet_gone` | old |\n"));
  expect(updated).toContain("| `mailvet_score` | 0 to 100 |\n| `mailvet_suggestion` | |\n");
  expect(updated).not.toContain("gone");
  expect(() => withTables("<!-- table nothing -->\n| a |\n|---|\n<!-- /table -->")).toThrow("unknown table");
  expect(() => withTables("<!-- table metrics -->\n| a |\n")).toThrow("has no header");
});

test("a page becomes HTML without inline scripts and styles, with GitHub's anchors", () => {
  const source =
    '# Title\n\nA [link](b.md#c), [one](lost.md).\n\n## What is `x`, and why?\n\n<!-- note -->\n| a | b |\n|---|---|\n| x | "c" |\n\n## What is x and why\n\n```sh\necho "<&>"\n```\n';
  const page = renderPage(source, (link) => (link.startsWith("b.md") ? "/guide/b#c" : undefined));
  expect(page.headings.map(({ id }) => id)).toEqual(["title", "what-is-x-and-why", "what-is-x-and-why-1"]);
  expect(page.summary).toBe("A link, one.");
  expect(page.html).toContain('<a href="/guide/b#c">link</a>, one.');
  expect(page.html).toContain("echo &quot;&lt;&amp;&gt;&quot;");
  expect(page.html).not.toMatch(/note|style=|<script/);
  expect(page.sections.map(({ text }) => text)).toEqual(["A link, one.", 'a b x "c"', 'echo "<&>"']);
});

test("a picture for each colour scheme is part of the guide", () => {
  const source = '<picture><source srcset="a/dark.webp"><img src="a/light.webp" alt="A"></picture>\n';
  expect(linksIn(source)).toEqual(["a/dark.webp", "a/light.webp"]);
  expect(renderPage(source, (link) => `/files/${link}`).html).toContain(
    '<source srcset="/files/a/dark.webp"><img src="/files/a/light.webp" alt="A">',
  );
});

test("docs/tour.md is made by npm run tour", () => {
  expect(readFileSync(join(ROOT, "docs/tour.md"), "utf8")).toBe(tourPage());
});

test("pages have unique URLs, a title and a summary", () => {
  expect(new Set(guide.pages.map(({ url }) => url)).size).toBe(guide.pages.length);
  expect(
    guide.pages.filter(({ title, summary }) => title === "" || summary === "").map(({ path }) => path),
  ).toEqual([]);
});
