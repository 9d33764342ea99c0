/** Part of `npm run lint`: prints every violation of the conventions in conventions.ts and fails if there is one. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  crowdedFolders,
  dialectIn,
  dialectInDocuments,
  foreignTables,
  readSources,
  repeatedTypeNames,
  upwardImports,
} from "./conventions.ts";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MAX_DIALECT_RATE = 5;

const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
});
const files = stdout.split("\n");
const sources = readSources(
  ROOT,
  files.filter((path) => /^[a-z-]+\/src\/.*\.tsx?$/.test(path)),
);
const documents = readSources(
  ROOT,
  files.filter((path) => path.endsWith(".md") && existsSync(join(ROOT, path))),
);
const code = sources.filter(({ path }) => !/\.test\.tsx?$/.test(path));
const { commentLines, hits } = dialectIn(code);
const dialectRate = (1000 * hits.length) / commentLines;

const violations = [
  ...upwardImports(code),
  ...repeatedTypeNames(code.filter(({ path }) => !/^(lab|web)\//.test(path))),
  ...crowdedFolders(sources),
  ...foreignTables(code.filter(({ path }) => path.startsWith("service/"))),
  ...dialectInDocuments(documents),
  ...(dialectRate > MAX_DIALECT_RATE ? hits.map((hit) => JSON.stringify(hit)) : []),
];
for (const violation of violations) console.error(violation);
console.log(
  `conventions: ${sources.length} files, ${documents.length} documents, ${violations.length} violations; word list ${dialectRate.toFixed(1)} per 1,000 comment lines (at most ${MAX_DIALECT_RATE})`,
);
process.exitCode = violations.length === 0 && sources.length > 0 ? 0 : 1;
