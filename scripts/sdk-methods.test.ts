/** The table of docs/sdks.md names every method of both SDKs, and no other. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as sdk from "../sdk/src/index.ts";

const ROOT = new URL("../", import.meta.url);
const PYTHON = new URL("sdk-python/src/mailvet/", ROOT);
const read = (url: URL) => readFileSync(url, "utf8");

/** A cell names one method or several; a dash stands for none. */
const CELL = "((?:`[\\w.]+`(?:, )?)+|–)";
const rows = [
  ...read(new URL("docs/sdks.md", ROOT)).matchAll(new RegExp(`^\\| ${CELL} \\| ${CELL} \\|`, "gm")),
].map(([, ...cells]) => cells.map((cell) => [...cell.matchAll(/`(.+?)`/g)].map(([, name = ""]) => name)));
const column = (index: number) => rows.flatMap((row) => row[index] ?? []).sort();

test("the table has every method of the TypeScript SDK", () => {
  const client = sdk.createClient({ baseUrl: "http://127.0.0.1:8080", apiKey: "key" });
  const functions = Object.keys(sdk).filter((name) => /^[a-z]/.test(name) && name !== "createClient");
  expect(column(0)).toEqual([...methodsOf(client), ...functions].sort());
});

test("the table has every method of the Python SDK", () => {
  const folder = new URL("_sync/", PYTHON);
  const source = readdirSync(folder)
    .map((name) => read(new URL(name, folder)))
    .join("\n");
  const exported = /^__all__ = \[(.*?)\]/ms.exec(read(new URL("__init__.py", PYTHON)))?.[1] ?? "";
  const functions = [...exported.matchAll(/"([a-z]\w*)"/g)].map(([, name = ""]) => name);
  expect(column(1)).toEqual([...pythonMethods(source, "Mailvet"), ...functions].sort());
});

test("a method has the same name in both", () => {
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  for (const [typescript = [], python = []] of rows)
    if (typescript.length > 0 && python.length > 0) expect(python).toEqual(typescript.map(snake));
});

test("both SDKs have the same version", () => {
  const version = /^version = "(.+)"$/m.exec(read(new URL("sdk-python/pyproject.toml", ROOT)))?.[1];
  expect(version).toBe(JSON.parse(read(new URL("sdk/package.json", ROOT))).version);
});

function methodsOf(value: object): string[] {
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "object" && member !== null
      ? methodsOf(member).map((inner) => `${name}.${inner}`)
      : [name],
  );
}

/** Public methods of a class and of the objects that its constructor creates. */
function pythonMethods(source: string, name: string): string[] {
  const [, body = ""] = new RegExp(`^class ${name}:\\n(.*?)(?=^\\S|$(?![\\s\\S]))`, "ms").exec(source) ?? [];
  const own = [...body.matchAll(/^ {4}def ([a-z]\w*)\(/gm)].map(([, method = ""]) => method);
  const inner = [...body.matchAll(/^ {8}self\.([a-z]\w*) = ([A-Z]\w*)\(/gm)].flatMap(([, group, type = ""]) =>
    pythonMethods(source, type).map((method) => `${group}.${method}`),
  );
  return [...own, ...inner];
}
