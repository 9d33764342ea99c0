/**
 * Is this a throw-away address? Told by the domain's name, or by the mail host behind it.
 *
 * The packaged list comes with the release; a refresh puts a newer copy into the data directory, and the
 * newer of the two is used. Who has the last word, from first to last: the operator's allow, the operator's
 * deny, the protected domains, the list.
 */

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type DomainList, nameListFrom } from "./domain-list.ts";
import { isAtOrBelow, readNameSet } from "./domain-set.ts";
import { describeList, readListManifest } from "./list-manifest.ts";
import { type LocalListProblem, type LocalLists, readLocalLists } from "./operator-lists.ts";
import { isProtectedDomain } from "./protected-domains.ts";

export type Disposables = {
  /** Is it on the operator's own list of domains to refuse (and not also on the one to allow)? */
  isDenied(domain: string): boolean;
  /** A domain in lower case, A-label form. */
  isDisposableDomain(domain: string): boolean;
  /** A mail host as DNS gave it. */
  isDisposableMailHost(host: string): boolean;
  /** Does a throw-away service take this domain's mail? Never so for an allowed or protected domain. */
  isDisposableRoute(domain: string, mailHosts: readonly string[]): boolean;
  /** How many domains the list in use names. */
  readonly size: number;
  readonly origin: ListOrigin;
  /** Changes with every reload: what was concluded from the list before no longer holds. */
  readonly generation: number;
  /** Takes a list into use that was refreshed since; says whether there was one. */
  reload(): boolean;
  /** Lines of the operator's own file that could not be read. */
  readonly localProblems: readonly LocalListProblem[];
};

/** Which list is in use, when it was made, and why a refreshed copy was passed over, if one was. */
export type ListOrigin = {
  readonly list: "packaged" | "refreshed";
  readonly madeAt: string;
  readonly passedOver?: string;
};

export type DisposablesOptions = {
  /** Where refreshed lists are kept. */
  directory?: string | undefined;
  /** The operator's own file. It has to be there when it is named. */
  localFile?: string | undefined;
  local?: LocalLists | undefined;
};

/** Reads the operator's file at once, so that its faults show; the large lists with the first question. */
export function loadDisposables(options: DisposablesOptions = {}): Disposables {
  const local = options.local ?? readLocalLists(options.localFile);
  const { allow, deny } = local;
  let chosen: { names: DomainList; origin: ListOrigin } | undefined;
  let mailHosts: ReadonlySet<string> | undefined;
  let generation = 0;
  const choose = () => {
    chosen ??= listInUse(options.directory);
    return chosen;
  };

  const isAllowed = (domain: string) => allow.size > 0 && isAtOrBelow(domain, allow);
  const isDenied = (domain: string) => deny.size > 0 && isAtOrBelow(domain, deny) && !isAllowed(domain);
  const isDisposableDomain = (domain: string) => {
    if (isAllowed(domain)) return false;
    if (isDenied(domain)) return true;
    return choose().names.covers(domain) && !isProtectedDomain(domain);
  };

  const isDisposableMailHost = (host: string) => {
    const name = host.toLowerCase().replace(/\.$/, "");
    if (isAtOrBelow(name, allow)) return false;
    if (isAtOrBelow(name, deny)) return true;
    mailHosts ??= readNameSet(MAIL_HOSTS_FILE);
    return isAtOrBelow(name, mailHosts);
  };

  const isDisposableRoute = (domain: string, hosts: readonly string[]) =>
    hosts.some((host) => isDisposableMailHost(host)) &&
    !isAtOrBelow(domain, allow) &&
    !isProtectedDomain(domain);

  return {
    isDenied,
    isDisposableDomain,
    isDisposableMailHost,
    isDisposableRoute,
    localProblems: local.problems,
    reload() {
      if (options.directory === undefined) return false;
      const madeAt = readListManifest(directoryUrl(options.directory))?.madeAt;
      if (madeAt === undefined) return false;
      const before = choose().origin.madeAt;
      if (Date.parse(madeAt) <= Date.parse(before)) return false;
      const newest = listInUse(options.directory);
      if (newest.origin.madeAt === before) return false; // it is damaged
      chosen = newest;
      generation++;
      return true;
    },
    get generation() {
      return generation;
    },
    get size() {
      return choose().names.size;
    },
    get origin() {
      return choose().origin;
    },
  };
}

/** The refreshed list in the directory, or the packaged one where that is newer or the other damaged. */
export function listInUse(directory: string | undefined): { names: DomainList; origin: ListOrigin } {
  const packagedAt = readListManifest(PACKAGED)?.madeAt ?? "";
  const refreshed = directory === undefined ? undefined : readRefreshed(directoryUrl(directory), packagedAt);
  if (refreshed !== undefined && "names" in refreshed) {
    return { names: refreshed.names, origin: { list: "refreshed", madeAt: refreshed.madeAt } };
  }
  const origin: ListOrigin = { list: "packaged", madeAt: packagedAt };
  return { names: packagedDomains(), origin: refreshed === undefined ? origin : { ...origin, ...refreshed } };
}

/** The list that came with this release. */
export function packagedDomains(): DomainList {
  return nameListFrom(readFileSync(new URL("disposable-domains.txt", PACKAGED)));
}

/** A directory as the base of URLs. */
export function directoryUrl(directory: string): URL {
  return pathToFileURL(`${directory}/`);
}

const PACKAGED = new URL("../../data/", import.meta.url);
const MAIL_HOSTS_FILE = new URL("disposable-mail-hosts.txt", PACKAGED);

/** Undefined when nothing was ever refreshed here. */
function readRefreshed(
  directory: URL,
  packagedAt: string,
): { names: DomainList; madeAt: string } | { passedOver: string } | undefined {
  const manifest = readListManifest(directory);
  if (manifest === undefined) return undefined;
  if (Date.parse(manifest.madeAt) < Date.parse(packagedAt))
    return { passedOver: "the packaged list is newer" };
  try {
    const bytes = readFileSync(new URL(manifest.file, directory));
    if (describeList(bytes).sha256 !== manifest.sha256) return { passedOver: `${manifest.file} was changed` };
    return { names: nameListFrom(bytes), madeAt: manifest.madeAt };
  } catch {
    return { passedOver: `${manifest.file} cannot be read` };
  }
}
