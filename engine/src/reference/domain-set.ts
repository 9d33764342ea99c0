/**
 * Small sets of names that people keep by hand, as text files with room for comments.
 * The large, generated lists are domain-list.ts's.
 */

import { readFileSync } from "node:fs";

/** Is the name one of these domains, or below one? */
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
