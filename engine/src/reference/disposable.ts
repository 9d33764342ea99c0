/**
 * Recognises disposable addresses by domain or by mail host.
 *
 * The packaged list comes with the release; a refresh writes a newer copy to the data directory, and the newer of the
 * two is used. Precedence, highest first: the operator's allow list, the operator's deny list, the protected domains,
 * the list.
 */

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type DomainList, domainListFrom } from "./domain-list.ts";
import { isAtOrBelow, readNameSet } from "./domain-set.ts";
import { describeList, readListManifest } from "./list-manifest.ts";
import { type LocalListProblem, type LocalLists, readLocalLists } from "./operator-lists.ts";
import { isProtectedDomain } from "./protected-domains.ts";

export type Disposables = {
  /** On the operator's deny list, and not on the allow list. */
  isDenied(domain: string): boolean;
  /** `domain` in A-labels, lower case. */
  isDisposableDomain(domain: string): boolean;
  /** `host` as DNS returned it. */
  isDisposableMailHost(host: string): boolean;
  /** Whether the MX hosts belong to a disposable service. Always false for allowed and protected domains. */
  isDisposableRoute(domain: string, mailHosts: readonly string[]): boolean;
  /** Number of domains in the list. */
  readonly size: number;
  readonly origin: ListOrigin;
  /** Changes with every reload, which invalidates cached conclusions. */
  readonly generation: number;
  /** Switches to a list that was refreshed since; returns whether there was one. */
  reload(): boolean;
  /** Invalid lines of the operator's file. */
  readonly localProblems: readonly LocalListProblem[];
};

/** Which list is in use, its date, and why a refreshed copy was not used. */
export type ListOrigin = {
  readonly list: "packaged" | "refreshed";
  readonly madeAt: string;
  readonly passedOver?: string;
};

export type DisposablesOptions = {
  /** Directory of refreshed lists. */
  directory?: string | undefined;
  /** The operator's own file. Must exist if given. */
  localFile?: string | undefined;
  local?: LocalLists | undefined;
};

/** Reads the operator's file at once, so that errors show; the large lists on first use. */
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
      if (newest.origin.madeAt === before) return false; // the new one is damaged
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

/** The refreshed list in the directory, or the packaged one if that is newer or the refreshed one damaged. */
export function listInUse(directory: string | undefined): { names: DomainList; origin: ListOrigin } {
  const packagedAt = readListManifest(PACKAGED)?.madeAt ?? "";
  const refreshed = directory === undefined ? undefined : readRefreshed(directoryUrl(directory), packagedAt);
  if (refreshed !== undefined && "names" in refreshed) {
    return { names: refreshed.names, origin: { list: "refreshed", madeAt: refreshed.madeAt } };
  }
  const origin: ListOrigin = { list: "packaged", madeAt: packagedAt };
  return { names: packagedDomains(), origin: refreshed === undefined ? origin : { ...origin, ...refreshed } };
}

/** The list of this release. */
export function packagedDomains(): DomainList {
  return domainListFrom(readFileSync(new URL("disposable-domains.txt", PACKAGED)));
}

/** A directory as the base of URLs. */
export function directoryUrl(directory: string): URL {
  return pathToFileURL(`${directory}/`);
}

const PACKAGED = new URL("../../data/", import.meta.url);
const MAIL_HOSTS_FILE = new URL("disposable-mail-hosts.txt", PACKAGED);

/** Undefined if no list was ever refreshed here. */
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
    return { names: domainListFrom(bytes), madeAt: manifest.madeAt };
  } catch {
    return { passedOver: `${manifest.file} cannot be read` };
  }
}
