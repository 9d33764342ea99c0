/**
 * Local parts of real people, read where they published them and never written: maintainers in the package index of
 * the Debian system this runs on, and authors of the installed npm packages.
 *
 * Personal addresses only. Lists, teams, roles and addresses assigned by hosts are left out.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type Person = { local: string; domain: string };

const LISTS = "/var/lib/apt/lists";

/** Empty without such an index. `apt-get update` creates one. */
export function debianMaintainers(): Person[] {
  if (!existsSync(LISTS)) return [];
  const people = new Map<string, Person>();
  for (const file of readdirSync(LISTS)) {
    if (!/_(?:Packages|Sources)(?:\.lz4|\.gz|\.xz)?$/.test(file)) continue;
    const index = execFileSync("/usr/lib/apt/apt-helper", ["cat-file", join(LISTS, file)], {
      maxBuffer: 2 ** 29,
      encoding: "utf8",
    });
    for (const [, who] of index.matchAll(/^(?:Original-)?Maintainer: (.+)$/gm)) add(people, who!);
  }
  return [...people.values()];
}

const ROOT = fileURLToPath(new URL("../../node_modules", import.meta.url));

export function packageAuthors(): Person[] {
  const people = new Map<string, Person>();
  for (const folder of packageFolders(ROOT)) {
    let manifest: Record<string, unknown>;
    try {
      manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    } catch {
      continue; // a folder without one is not a package
    }
    for (const field of ["author", "maintainers", "contributors"]) {
      for (const who of [manifest[field]].flat()) {
        if (typeof who === "string") add(people, who);
        else if (who !== null && typeof who === "object") {
          const { name, email } = who as { name?: string; email?: string };
          if (typeof email === "string") add(people, `${name ?? ""} <${email}>`);
        }
      }
    }
  }
  return [...people.values()];
}

function* packageFolders(root: string): Generator<string> {
  for (const name of readdirSync(root)) {
    if (name.startsWith(".")) continue;
    if (!name.startsWith("@")) yield join(root, name);
    else for (const inner of readdirSync(join(root, name))) yield join(root, name, inner);
  }
}

const NOT_A_PERSON =
  /team|maintain|develop|group|project|packag|upstream|task force|strike|list|debian|ubuntu|gnome|committee|admin|support|organi[sz]ation|foundation|contributors|authors|\binc\b|\bllc\b|\bgmbh\b/i;
const NOT_PERSONAL =
  /(?:^|[@.])(?:lists?|alioth|tracker|packages|googlegroups|noreply|users\.noreply)[.-]|@(?:packages|lists)\./i;
const NOT_A_NAME =
  /^(?:pkg|debian|team|info|contact|hello|support|admin|npm|dev|developers?|opensource|oss|maintainers?|noreply|no-reply|security|office|mail|email)(?:[-._+]|$)|[-._](?:devel|team|discuss|maint(?:ainers)?|packages|dev)$/i;

function add(people: Map<string, Person>, who: string): void {
  const found = /^\s*"?([^<"]*?)"?\s*<([^<>@\s]+)@([^<>@\s]+)>/.exec(who);
  if (!found) return;
  const [, name, local, domain] = found as unknown as [string, string, string, string];
  // A single word is a nickname or a program.
  if (
    !/\S\s+\S/.test(name) ||
    NOT_A_PERSON.test(name) ||
    NOT_PERSONAL.test(`${local}@${domain}`) ||
    NOT_A_NAME.test(local)
  )
    return;
  people.set(`${local}@${domain}`.toLowerCase(), { local, domain: domain.toLowerCase() });
}
