/**
 * Packs the npm packages, installs the tarballs into an empty project, and uses them there: import and require, types
 * under strict compilers, the examples of the READMEs, the command line. publint and attw check their metadata.
 *
 *   node scripts/try-packages.mjs
 *
 * Needs the npm registry for their dependencies.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./build.mjs";
import { packAll } from "./pack.mjs";

const TOOLS = ["publint@0.3.25", "@arethetypeswrong/cli@0.18.5", "typescript@5.9.3", "@types/node@20.19.43"];
const BUN_VERSION = "1.4.4";
const CHROMIUM_NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

const LIBRARIES = [
  "@mailvet/contract",
  "@mailvet/engine",
  "@mailvet/lab",
  "@mailvet/embedded-postgres",
  "@mailvet/sdk",
];
const READMES = ["engine", "lab", "embedded-postgres"];

const folder = mkdtempSync(join(tmpdir(), "mailvet-packages-"));
chmodSync(folder, 0o755); // as root, PostgreSQL runs as another user, who needs access
const project = join(folder, "project");
try {
  const tarballs = await packAll(join(folder, "tarballs"));
  mkdirSync(project);
  write("package.json", { name: "project", private: true, type: "module" });
  const npm = [
    "install",
    "--prefer-offline",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  run("npm", [...npm, ...tarballs.values()]);
  report(`installed ${[...tarballs.keys()].join(", ")}`);

  for (const name of LIBRARIES) {
    node(`import * as all from "${name}"; if (Object.keys(all).length === 0) throw new Error("empty");`);
    node(
      `const all = require("${name}"); if (Object.keys(all).length === 0) throw new Error("empty");`,
      "try.cjs",
    );
  }
  report("import and require");

  for (const [index, code] of READMES.flatMap(examplesIn).entries()) {
    node(code, `example-${index}.mjs`);
  }
  report("examples of the READMEs");

  const mailvet = join(project, "node_modules/.bin/mailvet");
  expectText(
    run(mailvet, ["check", "--level", "syntax", "--json", "ann@gmial.com"]),
    '"suggestion":"ann@gmail.com"',
  );
  expectText(run(mailvet, ["explain", "550 5.1.1 User unknown"]), "mailbox_not_found");
  const keepsCompiledCode = existsSync(join(project, "node_modules/mailvet/node_modules/.cache/compiled"));
  if (keepsCompiledCode !== "enableCompileCache" in module) throw new Error("compiled code is not kept");
  report("command line");

  await tryElsewhere(npm);
  run("npm", [...npm, ...TOOLS]);
  for (const skipLibCheck of [true, false]) checkTypes(skipLibCheck);
  report("types, strict, with and without skipLibCheck");
  for (const [name, tarball] of tarballs) {
    run("npx", ["--no-install", "publint", "run", tarball, "--strict"]);
    // The list is text, which has no types.
    const attw = [
      "attw",
      tarball,
      "--profile",
      "esm-only",
      "--exclude-entrypoints",
      "./disposable-domains.txt",
    ];
    if (LIBRARIES.includes(name)) run("npx", ["--no-install", ...attw]);
  }
  report("publint and attw");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The part that needs no Node, in Bun and in Chromium. */
async function tryElsewhere(npm) {
  const use = `import { createInspector } from "MODULE"; const found = createInspector()("info@gmial.com").suggestion;`;
  const bun = `@oven/bun-${process.platform}-${process.arch}`;
  run("npm", [...npm, `${bun}@${BUN_VERSION}`]);
  write("elsewhere.mjs", `${use.replace("MODULE", "@mailvet/engine/offline")} console.log(found);`);
  expectText(run(join(project, "node_modules", bun, "bin/bun"), ["elsewhere.mjs"]), "info@gmail.com");
  report(`offline part in Bun ${BUN_VERSION}`);

  const chromium =
    process.env.CHROMIUM ?? CHROMIUM_NAMES.find((name) => spawnSync(name, ["--version"]).status === 0);
  if (chromium === undefined) return report("offline part in Chromium: SKIPPED, there is none");
  const page = `<p></p><script type="module">${use.replace("MODULE", "/offline.js")} document.querySelector("p").textContent = found;</script>`;
  const file = readFileSync(join(project, "node_modules/@mailvet/engine/dist/offline.js"));
  const server = createServer((request, response) => {
    const isFile = request.url === "/offline.js";
    response.setHeader("content-type", isFile ? "text/javascript" : "text/html").end(isFile ? file : page);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", "--dump-dom"];
  const opened = spawn(chromium, [...args, `http://127.0.0.1:${server.address().port}/`]);
  let shown = "";
  opened.stdout.on("data", (chunk) => {
    shown += chunk;
  });
  await once(opened, "close");
  server.close();
  expectText(shown, "info@gmail.com");
  report("offline part in Chromium");
}

/** A wrong field has to fail: types that are silently `any` would pass. */
function checkTypes(skipLibCheck) {
  const module = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "esnext.disposable", "dom"],
    types: ["node"],
  };
  write("tsconfig.json", {
    compilerOptions: { ...module, strict: true, noEmit: true, skipLibCheck },
    files: ["types.ts"],
  });
  const types = (field) => `
    import type { ValidationResult } from "@mailvet/contract";
    import { createClient } from "@mailvet/sdk";
    import { createEngine } from "@mailvet/engine";
    import { openLab } from "@mailvet/lab";
    import { startEmbeddedPostgres } from "@mailvet/embedded-postgres";
    const client = createClient({ baseUrl: "http://127.0.0.1:8080", apiKey: "key" });
    const remote: ValidationResult = await client.validate("ann@example.com");
    const engine = await createEngine({ ehloName: "probe.example.com" });
    const local: ValidationResult = await engine.check("ann@example.com");
    console.log(remote.status, (await client.validate("x")).${field}, local.status, openLab, startEmbeddedPostgres);
  `;
  write("types.ts", types("sub_status"));
  run("npx", ["--no-install", "tsc"]);
  write("types.ts", types("sub_statuss"));
  const wrong = spawnSync("npx", ["--no-install", "tsc"], { cwd: project, encoding: "utf8" });
  expectText(wrong.stdout, "sub_statuss");
}

function examplesIn(workspace) {
  const text = readFileSync(join(ROOT, workspace, "README.md"), "utf8");
  return [...text.matchAll(/^```(?:js|ts)\n(.*?)^```/gms)].map(([, code]) => code);
}

function node(code, name = "try.mjs") {
  write(name, code);
  run("node", [name]);
}

function write(name, content) {
  writeFileSync(join(project, name), typeof content === "string" ? content : JSON.stringify(content));
}

function run(command, args) {
  const done = spawnSync(command, args, { cwd: project, encoding: "utf8" });
  if (done.status === 0) return done.stdout;
  throw new Error(
    `${command} ${args.join(" ")} failed:\n${done.error?.message ?? ""}${done.stdout}${done.stderr}`,
  );
}

function expectText(text, part) {
  if (!text.includes(part)) throw new Error(`expected ${part} in:\n${text}`);
}

function report(what) {
  console.log(`packages: ${what}`);
}
