/**
 * The operator's own word on domains, one a line: `allow example.com` or `deny example.net`.
 *
 * A name speaks for everything below it. Deny makes a domain disposable; allow wins over every list,
 * including a deny. A line that cannot be read is reported with its number and changes nothing.
 */

import { readFileSync, statSync } from "node:fs";
import { domainToASCII } from "node:url";
import { isListableName } from "./domain-list.ts";

export type LocalLists = {
  readonly allow: ReadonlySet<string>;
  readonly deny: ReadonlySet<string>;
  readonly problems: readonly LocalListProblem[];
};

export type LocalListProblem = { readonly line: number; readonly text: string; readonly reason: string };

export function parseLocalLists(text: string): LocalLists {
  const lists: Record<string, Set<string>> = { allow: new Set(), deny: new Set() };
  const problems: LocalListProblem[] = [];

  for (const [index, whole] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const [verb = "", name = "", ...rest] = whole.replace(/#.*$/, "").trim().split(/\s+/);
    if (verb === "") continue;
    const complain = (reason: string) =>
      problems.push({ line: index + 1, text: whole.trim().slice(0, LONGEST_QUOTE), reason });

    const list = Object.hasOwn(lists, verb.toLowerCase()) ? lists[verb.toLowerCase()] : undefined;
    const domain = name.length <= LONGEST_NAME ? listedForm(name) : undefined;
    if (list === undefined) complain('a line begins with "allow" or "deny"');
    else if (name === "") complain("a domain is missing");
    else if (rest.length > 0) complain("one domain a line");
    else if (domain === undefined) complain("not a domain name");
    else list.add(domain);
  }
  return { allow: lists.allow as Set<string>, deny: lists.deny as Set<string>, problems };
}

/** Without a file there is nothing the operator has said. A pipe will not do: it is read again by whoever asks. */
export function readLocalLists(file: string | undefined): LocalLists {
  if (file === undefined) return parseLocalLists("");
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file`);
  return parseLocalLists(readFileSync(file, "utf8"));
}

const LONGEST_QUOTE = 80;
const LONGEST_NAME = 253;

// People write addresses, wildcards and Unicode; all of them name a domain plainly enough.
function listedForm(written: string): string | undefined {
  const bare = written
    .toLowerCase()
    .replace(/^(?:\*\.|@|\.)/, "")
    .replace(/\.$/, "");
  const name = /^[a-z0-9.-]*$/.test(bare) ? bare : /[%/:?#@\s]/.test(bare) ? "" : domainToASCII(bare);
  return isListableName(name) ? name : undefined;
}
