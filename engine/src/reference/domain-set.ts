/**
 * Small sets of domains, maintained by hand in text files with comments. The large, generated lists are in
 * domain-list.ts.
 */

import { readFileSync } from "node:fs";

/** Whether the name is one of these domains, or below one. */
export function isAtOrBelow(name: string, domains: Pick<ReadonlySet<string>, "has">): boolean {
  if (domains.has(name)) return true;
  for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
    if (domains.has(name.slice(dot + 1))) return true;
  }
  return false;
}

/** Reads a file of names: several may share a line, "#" starts a comment. */
export function readNameSet(file: URL): ReadonlySet<string> {
  const lines = readFileSync(file, "utf8").split("\n");
  return new Set(
    lines.flatMap((line) => line.replace(/#.*$/, "").split(/\s+/)).filter((name) => name !== ""),
  );
}
