/**
 * Makes the npm packages, as tarballs in a folder:
 *
 *   npm run pack [-- FOLDER]      default: ./packages
 *
 * A package is staged first: what is built, without what only a checkout can use (source conditions and maps,
 * development dependencies), with README and LICENSE. Nothing runs when it is installed.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPrograms, ROOT } from "./build.mjs";

const LIBRARIES = ["contract", "engine", "lab", "embedded-postgres", "sdk"];

/** Resolved by the bundled command line when it needs them; all else is in the bundle. */
const CLI_DEPENDENCIES = { engine: ["tldts", "tr46"] };

/** Returns the paths of the tarballs, by package name. `repository` is the address of the source, if it is public. */
export async function packAll(folder, { repository } = {}) {
  await buildPrograms();
  mkdirSync(folder, { recursive: true });
  const stages = mkdtempSync(join(tmpdir(), "mailvet-pack-"));
  try {
    const staged = [...LIBRARIES.map((name) => stageLibrary(name, stages)), stageCommandLine(stages)];
    if (repository) for (const stage of staged) writeManifest(stage, { ...manifestIn(stage), repository });
    return new Map(staged.map((stage) => [manifestIn(stage).name, pack(stage, folder)]));
  } finally {
    rmSync(stages, { recursive: true, force: true });
  }
}

/** Writes what the package of a library consists of into a folder of its workspace's name. */
export function stageLibrary(workspace, stages) {
  const from = join(ROOT, workspace);
  const stage = join(stages, workspace);
  copyBuilt(join(from, "dist"), join(stage, "dist"));
  if (workspace === "engine") cpSync(join(from, "data"), join(stage, "data"), { recursive: true });
  const { devDependencies: _, ...manifest } = manifestIn(from);
  writeManifest(stage, withoutSources(manifest));
  copyTexts(from, stage);
  return stage;
}

/** In the layout of the checkout, because the bundle names the engine's files by their place in it. */
function stageCommandLine(stages) {
  const from = join(ROOT, "cli");
  const stage = join(stages, "mailvet");
  const data = "engine/data";
  cpSync(join(ROOT, data), join(stage, data), { recursive: true });
  cpSync(join(from, "bin"), join(stage, "cli/bin"), { recursive: true });
  for (const folder of ["cli/dist", "engine/dist/bundled"])
    copyBuilt(join(ROOT, folder), join(stage, folder), (path) => path.endsWith(".js"));
  const { devDependencies: _, ...manifest } = manifestIn(from);
  const dependencies = Object.entries(CLI_DEPENDENCIES).flatMap(([workspace, names]) =>
    names.map((name) => [name, manifestIn(join(ROOT, workspace)).dependencies[name]]),
  );
  const bin = Object.fromEntries(Object.entries(manifest.bin).map(([name, file]) => [name, `cli/${file}`]));
  writeManifest(stage, { ...manifest, bin, dependencies: Object.fromEntries(dependencies) });
  const { name, version, type } = manifest;
  writeManifest(join(stage, "cli"), { name, version, type, private: true }); // for `mailvet --version`
  copyTexts(from, stage);
  return stage;
}

/** JavaScript and declarations. Maps are left out: the sources they name are not in the package. */
export function copyBuilt(from, to, isWanted = (path) => /\.(?:js|mjs|d\.ts)$/.test(path)) {
  for (const entry of readdirSync(from, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !isWanted(path)) continue;
    const target = join(to, path.slice(from.length + 1));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, shippedText(readFileSync(path, "utf8")));
  }
}

/** Declarations name the modules they import by their source files, which only a checkout has. */
function shippedText(text) {
  return text
    .replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n")
    .replace(/(\bfrom |\bimport\()"(\.[^"\n]*)\.ts"/g, '$1"$2.js"');
}

function withoutSources(manifest) {
  const strip = (targets) =>
    Object.fromEntries(
      Object.entries(targets).map(([name, target]) => {
        if (typeof target === "string") return [name, target];
        const { source: _, ...built } = target;
        return [name, built];
      }),
    );
  return {
    ...manifest,
    ...(manifest.exports && { exports: { ...strip(manifest.exports), "./package.json": "./package.json" } }),
    ...(manifest.imports && { imports: strip(manifest.imports) }),
  };
}

function copyTexts(from, stage) {
  cpSync(join(from, "README.md"), join(stage, "README.md"));
  cpSync(join(ROOT, "LICENSE"), join(stage, "LICENSE"));
}

function pack(stage, folder) {
  const args = ["pack", "--json", "--silent", "--pack-destination", folder];
  const done = spawnSync("npm", args, { cwd: stage, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`npm pack failed for ${basename(stage)}: ${done.stderr}`);
  return join(folder, JSON.parse(done.stdout)[0].filename);
}

export function manifestIn(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

export function writeManifest(stage, manifest) {
  mkdirSync(stage, { recursive: true });
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const tarballs = await packAll(resolve(process.argv[2] ?? join(ROOT, "packages")));
  for (const [name, path] of tarballs) console.log(`${name.padEnd(28)} ${path}`);
}
