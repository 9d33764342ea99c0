/**
 * The operator's own rules for domains, one per line: `allow example.com` or `deny example.net`.
 *
 * A rule covers all subdomains. Deny makes a domain disposable; allow overrides every list, including a deny. An
 * invalid line is reported with its number and ignored.
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

  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const [verb = "", name = "", ...rest] = line.replace(/#.*$/, "").trim().split(/\s+/);
    if (verb === "") continue;
    const report = (reason: string) =>
      problems.push({ line: index + 1, text: line.trim().slice(0, LONGEST_QUOTE), reason });

    const list = Object.hasOwn(lists, verb.toLowerCase()) ? lists[verb.toLowerCase()] : undefined;
    const domain = name.length <= LONGEST_NAME ? normaliseDomain(name) : undefined;
    if (list === undefined) report('a line must begin with "allow" or "deny"');
    else if (name === "") report("the domain is missing");
    else if (rest.length > 0) report("only one domain per line is allowed");
    else if (domain === undefined) report("not a domain name");
    else list.add(domain);
  }
  return { allow: lists.allow as Set<string>, deny: lists.deny as Set<string>, problems };
}

/** Empty without a file. A pipe is rejected, because the file is read several times. */
export function readLocalLists(file: string | undefined): LocalLists {
  if (file === undefined) return parseLocalLists("");
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file`);
  return parseLocalLists(readFileSync(file, "utf8"));
}

const LONGEST_QUOTE = 80;
const LONGEST_NAME = 253;

// People write addresses, wildcards and Unicode; all of them identify a domain.
function normaliseDomain(written: string): string | undefined {
  const bare = written
    .toLowerCase()
    .replace(/^(?:\*\.|@|\.)/, "")
    .replace(/\.$/, "");
  const name = /^[a-z0-9.-]*$/.test(bare) ? bare : /[%/:?#@\s]/.test(bare) ? "" : domainToASCII(bare);
  return isListableName(name) ? name : undefined;
}
