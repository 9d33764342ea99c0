/**
 * Prepares a release in this repository. Nothing is published.
 *
 *   npm run release -- --dry-run            the version in package.json, or the next minor one if that is tagged
 *   npm run release -- 0.3.0
 *   npm run release -- --repository URL     named in the packages; there is none by default
 *
 * Sets the version of every workspace, the image, the chart and the SDKs, cuts the changelog, refuses an API that breaks clients
 * of the last release (unless the major version grows) and keeps the new one, then writes to release/VERSION: the npm packages,
 * the OpenAPI document, a software bill of materials, the notes of the release, and checksums of all. Last a commit and a tag,
 * both local; a dry run prints what they would contain, and leaves the files of the repository as they were.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { breakingChanges, withoutTexts } from "./breaking-changes.ts";
import { buildPrograms, buildWebApp, ROOT } from "./build.mjs";
import { packAll } from "./pack.mjs";
import { documentAt, withService } from "./run-service.mjs";

const RELEASED = "contract/released/openapi.json";

/** Files outside the workspaces that name the version, and what stands before it in each. */
export const OTHER_VERSIONS = [
  { path: "Dockerfile", before: /^ARG VERSION=/m },
  { path: "deploy/helm/mailvet/Chart.yaml", before: /^version: /m },
  { path: "deploy/helm/mailvet/Chart.yaml", before: /^appVersion: "/m },
  { path: "integrations/n8n/package.json", before: /^ {2}"version": "/m },
  { path: "sdk-python/pyproject.toml", before: /^version = "/m },
  { path: "service/src/http/openapi/resource-examples.ts", before: /^ {2}version: "/m },
  { path: "docs/webhooks.md", before: /^user-agent: Mailvet\//m },
];

/** The changelog with what was under Unreleased as this version, and that part alone. */
export function cutChangelog(text, version, date) {
  const [, before, notes, after] = /^(.*?\n## Unreleased\n)(.*?)((?:\n## .*)?)$/s.exec(text) ?? [];
  if (!notes?.trim()) throw new Error("CHANGELOG.md has nothing under Unreleased");
  return { text: `${before}\n## ${version} - ${date}\n${notes}${after}`, notes: `${notes.trim()}\n` };
}

/** A package.json, or an entry of the lock file, with this version of itself and of the other workspaces. */
export function withVersion(manifest, version, workspaces) {
  const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
  const changed = { ...manifest, version };
  for (const kind of kinds) {
    if (!manifest[kind]) continue;
    const entries = Object.entries(manifest[kind]);
    changed[kind] = Object.fromEntries(
      entries.map(([name, wanted]) => [name, workspaces.includes(name) ? version : wanted]),
    );
  }
  return changed;
}

/** A text with this version after the one place that `before` matches. */
export function withVersionAfter(text, before, version) {
  const pattern = new RegExp(`(${before.source})\\d+\\.\\d+\\.\\d+`, "gm");
  const places = text.match(pattern)?.length ?? 0;
  if (places !== 1) throw new Error(`${before} is before a version in ${places} places rather than one`);
  return text.replace(pattern, `$1${version}`);
}

export function nextVersion(current, isTagged) {
  if (!isTagged) return current;
  const [major, minor] = current.split(".").map(Number);
  return `${major}.${minor + 1}.0`;
}

const read = (path) => readFileSync(join(ROOT, path), "utf8");
const readJson = (path) => JSON.parse(read(path));
const jsonText = (value) => `${JSON.stringify(value, undefined, 2)}\n`;
const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

async function release({ version, repository, isDryRun }) {
  if (git("status", "--porcelain")) throw new Error("commit or remove what is changed first");
  if (git("tag", "--list", `v${version}`)) throw new Error(`v${version} is released already`);
  const folders = ["", ...readJson("package.json").workspaces];
  const manifests = folders.map((folder) => join(folder, "package.json"));
  const touched = [
    ...manifests,
    ...new Set(OTHER_VERSIONS.map(({ path }) => path)),
    "package-lock.json",
    "CHANGELOG.md",
    RELEASED,
  ];
  const originals = touched.map((path) => [path, read(path)]);
  let isComplete = false;
  try {
    for (const { path, before } of OTHER_VERSIONS) write(path, withVersionAfter(read(path), before, version));
    const names = manifests.map((path) => readJson(path).name);
    for (const path of manifests) write(path, jsonText(withVersion(readJson(path), version, names)));
    const lock = readJson("package-lock.json");
    for (const folder of folders) lock.packages[folder] = withVersion(lock.packages[folder], version, names);
    write("package-lock.json", jsonText({ ...lock, version }));
    const { text, notes } = cutChangelog(
      read("CHANGELOG.md"),
      version,
      new Date().toISOString().slice(0, 10),
    );
    write("CHANGELOG.md", text);

    await buildPrograms();
    await buildWebApp();
    const document = await withService(documentAt);
    refuseBreakingChanges(readJson(RELEASED), document, version);
    write(RELEASED, `${JSON.stringify(withoutTexts(document), undefined, 1)}\n`);
    await writeArtefacts(join(ROOT, "release", version), { document, notes, repository });
    console.log(git("diff", "--stat", "--stat-width=100"));
    isComplete = !isDryRun;
  } finally {
    if (!isComplete) for (const [path, text] of originals) write(path, text);
  }
  if (isDryRun) return console.log("release: a dry run, the repository is as it was");
  git("add", ...touched);
  git("commit", "--quiet", "--message", `release: ${version}`);
  git("tag", "--annotate", `v${version}`, "--message", `Mailvet ${version}`);
  console.log(`release: committed and tagged v${version}; push and publish by hand`);
}

function write(path, text) {
  writeFileSync(join(ROOT, path), text);
}

function refuseBreakingChanges(released, document, version) {
  const majorOf = (text) => Number(text.split(".", 1)[0]);
  const changes = breakingChanges(released, document);
  if (changes.length === 0 || majorOf(version) > majorOf(released.info.version)) return;
  throw new Error(`this breaks clients of ${released.info.version}:\n  ${changes.join("\n  ")}`);
}

async function writeArtefacts(folder, { document, notes, repository }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await packAll(folder, { repository });
  writeFileSync(join(folder, "openapi.json"), jsonText(document));
  writeFileSync(join(folder, "NOTES.md"), notes);
  const bill = execFileSync("npm", ["run", "--silent", "sbom"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  writeFileSync(join(folder, "sbom.cdx.json"), bill);
  const sums = readdirSync(folder).map((name) => {
    const sum = createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex");
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
  console.log(`release: ${folder}\n${sums.join("")}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { "dry-run": { type: "boolean", default: false }, repository: { type: "string" } },
  });
  const { version: current } = readJson("package.json");
  const version = positionals[0] ?? nextVersion(current, git("tag", "--list", `v${current}`) !== "");
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not a version such as 0.3.0`);
  await release({ version, repository: values.repository, isDryRun: values["dry-run"] });
}
