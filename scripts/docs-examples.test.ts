/**
 * The code in the documentation, without running it. Blocks of JavaScript and TypeScript are type-checked against the built packages,
 * page by page, and those of JavaScript parse in the running Node; blocks of Python and shell parse; blocks of nginx pass
 * `nginx -t`. They are run by service/test/documented-commands.test.ts (shell), pasted-examples.test.ts (JavaScript and TypeScript)
 * and `npm run test:python`; `<!-- not run: reason -->` above a block leaves it out there.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Block, blocksIn, moduleOf, pagesWithModules } from "./docs-blocks.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const has = (program: string, flag: string) => spawnSync(program, [flag]).status === 0;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mailvet-docs-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

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

test("blocks of JavaScript and TypeScript fit the packages", () => {
  const found = pagesWithModules();
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
