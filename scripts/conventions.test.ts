import { expect, test } from "vitest";
import {
  crowdedFolders,
  dialectIn,
  dialectInDocuments,
  foreignTables,
  repeatedTypeNames,
  type SourceFile,
  upwardImports,
} from "./conventions.ts";

const file = (path: string, text: string): SourceFile => ({ path, text });

test("an import to a higher or the same layer is refused, also of a type or by import()", () => {
  const bad = [
    file("service/src/db/a.ts", 'import type { A } from "../http/app.ts";'),
    file("service/src/keys/b.ts", 'const { b } = await import("../webhooks/webhooks.ts");'),
    file("service/src/queue/c.ts", 'import { c } from "../assembly.ts";'),
  ];
  expect(upwardImports(bad)).toHaveLength(3);
  expect(
    upwardImports([file("service/src/http/routes/d.ts", 'import { d } from "../../db/database.ts";')]),
  ).toEqual([]);
});

test("a type name that stands in two files is refused", () => {
  const twice = [
    file("engine/src/a.ts", "export type Reply = 1;"),
    file("sdk/src/b.ts", "export class Reply {}"),
  ];
  expect(repeatedTypeNames(twice)).toEqual(["Reply: engine/src/a.ts, sdk/src/b.ts"]);
});

test("a folder with 26 files is refused", () => {
  const many = Array.from({ length: 26 }, (_, index) => file(`cli/src/file-${index}.ts`, ""));
  expect(crowdedFolders(many)).toEqual(["cli/src: 26 files"]);
});

test("SQL or Drizzle on the table of another folder is refused", () => {
  const bad = [
    file("service/src/queue/schema.ts", 'export const tasks = pgTable("tasks", {});'),
    file("service/src/jobs/a.ts", "sql`delete from tasks`"),
    file("service/src/jobs/b.ts", 'import { tasks } from "../queue/schema.ts";'),
    file("service/src/queue/c.ts", "sql`select from tasks`"),
  ];
  expect(foreignTables(bad)).toEqual([
    "service/src/jobs/a.ts names the table tasks",
    "service/src/jobs/b.ts imports service/src/queue/schema.ts",
  ]);
});

test("words of the list are found in comments, and not in code", () => {
  const text = "/** Whoever asks. */\nconst nobody = 1; // somebody\n/**\n * and anew\n */\n";
  expect(dialectIn([file("a.ts", text)])).toMatchObject({ commentLines: 5, hits: [{}, {}, {}] });
});

test("words of the list are refused in documents, outside code", () => {
  const text = "# Title\n\nNobody waits.\n\n```sh\necho whoever\n```\n\nThe word `house` is code.\n";
  expect(dialectInDocuments([file("docs/a.md", text)])).toEqual(["docs/a.md:3: “Nobody”"]);
});
