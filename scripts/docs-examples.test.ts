/**
 * The code in the documentation. Blocks of JavaScript and TypeScript are type-checked against the built packages, page by page, and those
 * of JavaScript parse in the running Node; blocks of Python and shell parse; blocks of nginx pass `nginx -t`. Those of the quick
 * starts are also run: service/test/documented-commands.test.ts, pasted-examples.test.ts, and `npm run test:python`.
 * `<!-- not run: reason -->` above a block leaves it out.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const has = (program: string, flag: string) => spawnSync(program, [flag]).status === 0;

type Block = { page: string; line: number; language: string; code: string };

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mailvet-docs-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

function pages(): string[] {
  const patterns = ["README.md", "docs/*.md", "*/README.md", "integrations/*/README.md"];
  const { stdout } = spawnSync("git", ["ls-files", ...patterns], { cwd: ROOT, encoding: "utf8" });
  return stdout.trim().split("\n");
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  const found = text.matchAll(/(<!-- not run: .{20,} -->\n)?^( *)```(\w+)\n(.*?)^ *```$/gms);
  return [...found]
    .filter(([, notRun]) => notRun === undefined)
    .map(({ 2: indent = "", 3: language = "", 4: code = "", index }) => ({
      page,
      line: text.slice(0, index).split("\n").length,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }));
}

const blocks = pages().flatMap(blocksOf);
const blocksIn = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));

/** Parses each block, as a file of this name, with a program that succeeds if it can. */
function unparsable(found: readonly Block[], name: (block: Block) => string, command: string[]): string[] {
  expect(found).not.toEqual([]);
  return found.flatMap((block) => {
    const file = join(folder, name(block));
    writeFileSync(file, block.code);
    const [program = "", ...args] = command;
    const { status, stderr } = spawnSync(program, [...args, file], { encoding: "utf8" });
    return status === 0 ? [] : [`${block.page}:${block.line}: ${stderr}`];
  });
}

test("blocks of JavaScript parse in this Node", () => {
  const name = ({ code }: Block) => (code.includes("exports.") ? "block.cjs" : "block.mjs");
  expect(unparsable(blocksIn("js"), name, [process.execPath, "--check"])).toEqual([]);
});

/** What a block may use without saying where it comes from. */
const GIVEN = "declare const email: string; declare const emails: string[];";

/** The blocks of a page build on each other, and may declare a name again. */
function moduleOf(page: string): string {
  const imports = new Set<string>();
  const bodies = blocksIn("js", "ts")
    .filter((block) => block.page === page)
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

test("blocks of JavaScript and TypeScript fit the packages", () => {
  const found = [...new Set(blocksIn("js", "ts").map(({ page }) => page))];
  expect(found.length).toBeGreaterThan(8);
  const files = found.map((page) => `pages/${page.replace(".md", ".ts")}`);
  for (const [i, page] of found.entries()) {
    mkdirSync(dirname(join(folder, files[i]!)), { recursive: true });
    writeFileSync(join(folder, files[i]!), moduleOf(page));
  }
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, "tsconfig.base.json"), "utf8"));
  const options = { ...compilerOptions, composite: false, declarationMap: false, noEmit: true };
  const forReaders = {
    rewriteRelativeImportExtensions: false,
    noImplicitAny: false,
    exactOptionalPropertyTypes: false,
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...options, ...forReaders }, files }),
  );
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const { stdout } = spawnSync(tsc, ["--project", folder, "--pretty", "false"], {
    encoding: "utf8",
    cwd: folder,
  });
  expect(stdout).toBe("");
});

test.skipIf(!has("python3", "--version"))("blocks of Python parse", () => {
  const parse = "import ast, sys; ast.parse(open(sys.argv[1]).read())";
  expect(unparsable(blocksIn("python", "py"), () => "block.py", ["python3", "-c", parse])).toEqual([]);
});

test.skipIf(!has("bash", "--version"))("blocks of shell parse", () => {
  expect(unparsable(blocksIn("sh", "bash"), () => "block.sh", ["bash", "-n"])).toEqual([]);
});

test("no command installs a package from a registry that does not have it", () => {
  const published = blocksIn("sh", "bash", "json").filter(({ code }) =>
    /(?:npm (?:install|i|add)|pip install|npm exec)\b[^\n#]*[ "](?:@mailvet\/|mailvet(?=[\s"]*$))|"npx"/m.test(
      code,
    ),
  );
  expect(published.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
});

test.skipIf(!has("nginx", "-v") || !has("openssl", "version"))("nginx accepts the configurations", () => {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  spawnSync("openssl", [...request, "-keyout", key, "-out", certificate]);
  const servers = blocksIn("nginx").map((block) => ({
    ...block,
    code: `pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; ${block.code
      .replaceAll(/\S+fullchain\.pem/g, certificate)
      .replaceAll(/\S+privkey\.pem/g, key)} }`,
  }));
  expect(unparsable(servers, () => "nginx.conf", ["nginx", "-t", "-p", folder, "-c"])).toEqual([]);
});
