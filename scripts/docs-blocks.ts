/** The blocks of code in the documentation, for the tests that check and run them. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const PATTERNS = ["README.md", "docs/*.md", "*/README.md", "integrations/*/README.md"];

export type Block = {
  page: string;
  line: number;
  language: string;
  code: string;
  /** From `<!-- not run: reason -->` above it. */
  notRun?: string | undefined;
};

const blocks: readonly Block[] = spawnSync("git", ["ls-files", ...PATTERNS], { cwd: ROOT, encoding: "utf8" })
  .stdout.trim()
  .split("\n")
  .flatMap(blocksOf);

export const blocksIn = (...languages: string[]): Block[] =>
  blocks.filter(({ language }) => languages.includes(language));

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  const found = text.matchAll(/(?:<!-- not run: ([^\n]{20,}) -->\n)?^( *)```(\w+)\n(.*?)^ *```$/gms);
  return [...found].map(({ 1: notRun, 2: indent = "", 3: language = "", 4: code = "", index }) => ({
    page,
    line: text.slice(0, index).split("\n").length,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    notRun,
  }));
}

/** What a block may use without saying where it comes from. */
const GIVEN = 'const email: string = "ann@example.com"; const emails: string[] = ["valid@mailvet.test"];';

/** Those of a page that are run, as one module: they build on each other, and may declare a name again. */
export function moduleOf(page: string): string {
  const imports = new Set<string>();
  const bodies = blocksIn("js", "ts")
    .filter((block) => block.page === page && block.notRun === undefined)
    .map(({ code }) =>
      code
        .replaceAll(/^import [^;]+;.*$/gm, (line) => {
          imports.add(line);
          return "";
        })
        .replaceAll(/^export /gm, ""),
    );
  return `${[...imports].join("\n")}\n${GIVEN}\n{\n${bodies.join("{\n")}${"}".repeat(bodies.length)}\nexport {};\n`;
}

export function pagesWithModules(): string[] {
  return [
    ...new Set(
      blocksIn("js", "ts")
        .filter(({ notRun }) => notRun === undefined)
        .map(({ page }) => page),
    ),
  ];
}
