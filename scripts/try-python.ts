/**
 * `npm run test:python`: the Python package, from its sources to a program that uses it.
 *
 * Checks that the generated parts are up to date, runs ruff, mypy and pytest against a fresh service whose mail internet is
 * the lab, builds the wheel, installs it into an empty virtual environment, and runs the examples there. The tools are in a
 * virtual environment outside the repository, created on first use from PyPI. PYTHON names another interpreter.
 *
 *   npm run test:python
 *   npm run python:generate     brings the generated parts up to date instead
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLab } from "../lab/src/index.ts";
import { DEMO_WORLD } from "../service/demo/world.ts";
import { openProgramInstallation } from "../service/test/program.ts";
import { snippetsFor } from "../web/src/pages/keys/snippets.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const PACKAGE = join(ROOT, "sdk-python");
const SERVICE = {
  BOOTSTRAP_API_KEY: "the-operator-chose-this-key",
  ADMIN_EMAIL: "operator@team.example",
  ADMIN_PASSWORD: "an operator's password",
};

type Environment = Record<string, string>;

const python = findPython();
const folder = mkdtempSync(join(tmpdir(), "mailvet-python-"));
try {
  await using lab = await openLab(DEMO_WORLD);
  await using installation = openProgramInstallation();
  const starting = installation.start({ ...SERVICE, ...lab.env });
  const tools = await toolEnvironment();
  if (process.argv.includes("--generate")) await generate(tools, (await starting).url);
  else await tryPackage(tools, starting);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function tryPackage(tools: string, starting: Promise<{ url: string }>): Promise<void> {
  await run(tools, ["-m", "ruff", "check", "--quiet"]);
  await run(tools, ["-m", "ruff", "format", "--check", "--quiet"]);
  report("ruff");
  const typed = run(tools, ["-m", "mypy", "--no-error-summary"]);
  const wheel = await buildWheel(tools);
  const [clean] = await Promise.all([cleanEnvironment(wheel), typed]);
  report(`mypy --strict; ${wheel.slice(folder.length + 1)} installed into an empty environment`);

  const { url } = await starting;
  const env = { MAILVET_SERVICE: url, MAILVET_API_KEY: SERVICE.BOOTSTRAP_API_KEY };
  await generate(tools, url, "--check");
  report("generated types and sync client are up to date");
  // The installed wheel is tested, not the sources.
  await run(tools, ["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", wheel]);
  const tests = { ...env, TEST_EMAIL: SERVICE.ADMIN_EMAIL, TEST_PASSWORD: SERVICE.ADMIN_PASSWORD };
  await run(tools, ["-m", "pytest", "--quiet", "-p", "no:cacheprovider"], { env: tests });
  await runExamples(clean, env);
}

async function runExamples(clean: string, env: Environment): Promise<void> {
  for (const name of ["docs/sample-list.csv", "sample-list.csv"])
    cpSync(join(ROOT, "docs/sample-list.csv"), join(folder, name));
  const snippet = snippetsFor(SERVICE.BOOTSTRAP_API_KEY, env.MAILVET_SERVICE ?? "").Python.code;
  const examples = [snippet, ...examplesIn("README.md"), ...examplesIn("sdk-python/README.md")];
  for (const [index, code] of examples.entries()) {
    const file = join(folder, `example-${index}.py`);
    writeFileSync(file, code.replaceAll("http://127.0.0.1:8080", env.MAILVET_SERVICE ?? ""));
    await run(clean, [file], { cwd: folder, env });
  }
  report(`${examples.length} examples of the Keys page and the READMEs`);
}

function examplesIn(file: string): string[] {
  return [...readFileSync(join(ROOT, file), "utf8").matchAll(/^```python\n(.*?)^```/gms)].map(
    ([, code = ""]) => code,
  );
}

async function generate(tools: string, url: string, ...options: string[]): Promise<void> {
  const document = join(folder, "openapi.json");
  writeFileSync(document, await (await fetch(`${url}/api/v1/openapi.json`)).text());
  await run(tools, ["generate.py", document, ...options]);
}

async function buildWheel(tools: string): Promise<string> {
  await run(tools, ["-m", "hatchling", "build", "--target", "wheel", "--directory", folder]);
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".whl"))!);
}

/** The interpreter of an environment with nothing but the package and its dependencies. */
async function cleanEnvironment(wheel: string): Promise<string> {
  const clean = await createEnvironment(join(folder, "clean"));
  await run(clean, ["-m", "pip", "install", "--quiet", wheel]);
  return clean;
}

/** The interpreter of the environment with the tools and dependencies that pyproject.toml names, kept between runs. */
async function toolEnvironment(): Promise<string> {
  const project = readFileSync(join(PACKAGE, "pyproject.toml"), "utf8");
  const listed = [...project.matchAll(/^(?:dependencies|dev) = \[(.*?)\]$/gms)]
    .map(([, list = ""]) => list)
    .join();
  const packages = [...listed.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name);
  const id = createHash("sha256")
    .update(`${python}\n${packages.join("\n")}`)
    .digest("hex")
    .slice(0, 12);
  const target = join(tmpdir(), `mailvet-python-tools-${id}`);
  const ready = join(target, "ready");
  if (!existsSync(ready)) {
    report(`installing the tools in ${target}`);
    const tools = await createEnvironment(target);
    await run(tools, ["-m", "pip", "install", "--quiet", ...packages]);
    writeFileSync(ready, "");
  }
  return interpreterIn(target);
}

async function createEnvironment(target: string): Promise<string> {
  mkdirSync(target, { recursive: true });
  await run(python, ["-m", "venv", "--clear", target]);
  return interpreterIn(target);
}

function interpreterIn(environment: string): string {
  return join(environment, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
}

function findPython(): string {
  const isUsable = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
  const names = process.env.PYTHON ? [process.env.PYTHON] : ["python3", "python"];
  const found = names.find((name) => spawnSync(name, ["-c", isUsable]).status === 0);
  if (found !== undefined) return found;
  console.error(`python: needs Python 3.10 or newer with venv; tried ${names.join(", ")}`);
  process.exit(1);
}

async function run(
  program: string,
  args: string[],
  { cwd = PACKAGE, env = {} }: { cwd?: string; env?: Environment } = {},
): Promise<void> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
}

function report(what: string): void {
  console.log(`python: ${what} (after ${Math.round(performance.now() / 1000)} s)`);
}
