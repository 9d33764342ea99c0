/**
 * Conventions of the source tree that Biome has no rule for. Each function returns the violations it found.
 * check-conventions.ts runs them as part of `npm run lint`; conventions.test.ts shows what each refuses.
 */
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export type SourceFile = { path: string; text: string };

export function readSources(root: string, paths: readonly string[]): SourceFile[] {
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/**
 * Layers of service/src from top to bottom. A folder imports lower layers only; folders of one layer are independent of
 * each other. Files directly in service/src assemble the parts and are above all.
 */
export const SERVICE_LAYERS: readonly (readonly string[])[] = [
  ["http"],
  ["system", "lifecycle"],
  ["downloads", "lists"],
  ["jobs"],
  ["uploads"],
  ["validations"],
  ["feedback", "naming", "adjudication", "idempotency"],
  ["webhooks", "notifications"],
  ["keys"],
  ["request-limits"],
  ["accounts"],
  ["credits"],
  ["mail"],
  ["pacing"],
  ["queue"],
  ["blobs"],
  ["audit"],
  ["db"],
  ["base"],
];

const IMPORT = /\bfrom\s+"(\.{1,2}\/[^"]+)"|\bimport\(\s*"(\.{1,2}\/[^"]+)"\s*\)/g;

/** Most tables reference an account, so any schema.ts may import this one for the foreign key. */
const ACCOUNTS_SCHEMA = "service/src/accounts/schema.ts";

/** Imports, of types too, that point to the same layer or upwards. */
export function upwardImports(files: readonly SourceFile[], layers = SERVICE_LAYERS): string[] {
  const layerOf = (path: string) => {
    const folder = /^service\/src\/([^/]+)\//.exec(path)?.[1];
    if (folder === undefined) return -1;
    return layers.findIndex((layer) => layer.includes(folder));
  };
  const folderOf = (path: string) => dirname(path).split("/").slice(0, 3).join("/");
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(IMPORT)]
      .map(([, from, dynamic]) => normalize(join(dirname(path), from ?? dynamic ?? "")))
      .filter((target) => target.startsWith("service/src/"))
      .filter((target) => !(target === ACCOUNTS_SCHEMA && path.endsWith("/schema.ts")))
      .filter((target) => folderOf(target) !== folderOf(path) && layerOf(target) <= layerOf(path))
      .map((target) => `${path} imports ${target}`),
  );
}

/** Exported types, classes and interfaces whose name stands in several files. A re-export is not a second definition. */
export function repeatedTypeNames(files: readonly SourceFile[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    for (const [, name = ""] of text.matchAll(
      /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm,
    )) {
      places.set(name, (places.get(name) ?? new Set()).add(path));
    }
  }
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].join(", ")}`);
}

const FILES_PER_FOLDER = 25;

export function crowdedFolders(files: readonly SourceFile[], limit = FILES_PER_FOLDER): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > limit)
    .map(([folder, count]) => `${folder}: ${count} files`);
}

/** SQL or Drizzle that names a table of another folder. Each folder declares its tables in its schema.ts. */
export function foreignTables(files: readonly SourceFile[]): string[] {
  const owners = new Map<string, string>();
  for (const { path, text } of files.filter(({ path }) => path.endsWith("/schema.ts"))) {
    for (const [, table = ""] of text.matchAll(/pgTable\(\s*"(\w+)"/g)) owners.set(table, dirname(path));
  }
  const inSql = /\b(?:from|into|update|join|table|lock)\s+(?:only\s+)?"?(\w+)"?/gi;
  return files.flatMap(({ path, text }) => {
    if (path.endsWith("/schema.ts")) return [];
    const named = [...text.matchAll(inSql)]
      .map(([, table = ""]) => table)
      .filter((table) => owners.has(table) && !path.startsWith(`${owners.get(table)}/`))
      .map((table) => `${path} names the table ${table}`);
    const imported = [...text.matchAll(IMPORT)]
      .map(([, from]) => normalize(join(dirname(path), from ?? "")))
      .filter((target) => target.endsWith("/schema.ts") && !path.startsWith(`${dirname(target)}/`))
      .map((target) => `${path} imports ${target}`);
    return [...new Set([...named, ...imported])];
  });
}

/** Words of prose that plain technical English has no use for. */
const DIALECT =
  /\b(?:whoever|whomever|somebody|anybody|everybody|nobody|someone else's|anew|house|houses|stranger|strangers|mended|throw-away|whom|in person|at hand|in hand|give back|gives back|given back|lets us|let us in|word of|in words|tells nobody|hears|heard of|made to feel|taken for|takes for|stands? beside|stands? at|in good order|comes? of it|came of it|the way out|ways out|makes itself)\b/gi;

export type Prose = { commentLines: number; hits: { path: string; line: string; word: string }[] };

/** Dialect words in Markdown, outside code. */
export function dialectInDocuments(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ""))
      .replaceAll(/`[^`\n]*`/g, "")
      .split("\n")
      .flatMap((line, index) =>
        [...line.matchAll(DIALECT)].map(([word]) => `${path}:${index + 1}: “${word}”`),
      ),
  );
}

/** Comment lines of the files, and the dialect words in them. */
export function dialectIn(files: readonly SourceFile[]): Prose {
  const prose: Prose = { commentLines: 0, hits: [] };
  for (const { path, text } of files) {
    let isBlock = false;
    for (const line of text.split("\n")) {
      const comment = isBlock ? line : (/(?:^|\s)\/\*.*|(?:^|\s)\/\/.*/.exec(line)?.[0] ?? "");
      if (comment !== "") prose.commentLines++;
      for (const [word] of comment.matchAll(DIALECT)) prose.hits.push({ path, line: line.trim(), word });
      isBlock = (isBlock || /\/\*/.test(comment)) && !comment.includes("*/");
    }
  }
  return prose;
}
