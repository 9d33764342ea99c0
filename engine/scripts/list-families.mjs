/**
 * The public lists of disposable domains in npm packages, and the weight of each.
 *
 * Packages copy from one another, so a name found in many of them was not verified by many people. What counts is the
 * family: who collects the names, and how. Parsing is here as well, because almost every package has its own format.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Reads every family from the folder that holds the packages' node_modules. */
export function readFamilies(folder) {
  const text = (path) => readFileSync(join(folder, "node_modules", path), "utf8");
  const json = (path) => JSON.parse(text(path));
  const load = createRequire(join(folder, "reader.cjs"));

  const ivolo = tidy([
    ...json("disposable-email-domains/index.json"),
    ...json("disposable-email-domains/wildcard.json"),
  ]);
  const tompec = tidy(json("disposable-domains/index.json"));
  const burner = readBurner(text("is-burner-email/dist/index.js"));
  const families = {
    curated: tidy(json("disposable-email-domains-js/dist/dict/disposable_email_blocklist.json")),
    fakefilter: readFakefilter(json("fakefilter/json/data_version2.json")),
    tompec: minus(tompec, [ivolo]),
    mailchecker: tidy([...load("mailchecker").blacklist()]),
    ivolo,
    wesbos: tidy(lines(text("burner-email-providers/emails.txt"))),
    providerDomains: tidy(json("disposable-email-provider-domains/data/domains.json")),
    mixture: tidy(json("disposable-email-detector/index.json")),
  };
  // Collects curated, tompec, mailchecker and fakefilter; what is in none of those is a newer state of theirs.
  const { mixture: _, ...collected } = families;
  families.newer = minus(burner.listed, [...Object.values(collected), tompec]);
  return { families, allowedElsewhere: burner.allowed };
}

/**
 * Where each family comes from, and its rank. Chosen by leaving one family out at a time (see data/README.md): where
 * two agree, one of them is nearly always mailchecker or ivolo, so requiring two would lose most of the names.
 *   reviewed  a person, or a crawler at the service itself, verified this name
 *   broad     sufficient where nothing contradicts; much of it came from sign-up logs
 *   support   an old mixture: never sufficient alone, but confirms the broad list
 */
export const FAMILIES = {
  curated: { from: "disposable-email-domains-js", rank: "reviewed" },
  fakefilter: { from: "fakefilter", rank: "reviewed" },
  tompec: { from: "disposable-domains", rank: "reviewed" }, // verified by its maintainer since taking over from ivolo
  newer: { from: "is-burner-email", rank: "reviewed" },
  mailchecker: { from: "mailchecker", rank: "broad" },
  ivolo: { from: "disposable-email-domains", rank: "broad" },
  wesbos: { from: "burner-email-providers", rank: "support" },
  providerDomains: { from: "disposable-email-provider-domains", rank: "support" },
  mixture: { from: "disposable-email-detector", rank: "support" }, // many lists and much else, unsorted
};

/**
 * Whether the evidence suffices to list a name without objections. The large mixture counts where another old list
 * agrees, and under the TLDs that disposable services buy in bulk.
 */
export function isBelieved(witnesses, name) {
  if (witnesses.some((family) => FAMILIES[family].rank !== "support")) return true;
  return witnesses.includes("mixture") && (witnesses.length > 1 || CHEAP_ENDING.test(name));
}

const CHEAP_ENDING =
  /\.(?:bond|buzz|cf|cfd|click|club|cyou|fun|ga|gq|host|icu|live|lol|ml|monster|online|pw|quest|rest|sbs|shop|site|skin|space|store|tk|top|website|xyz)$/;

/** Whether the name itself was verified. Needed where there is an objection. */
export function isReviewed(witnesses) {
  return witnesses.some((family) => FAMILIES[family].rank === "reviewed");
}

/** Each family's package as installed, and its number of names. */
export function describeFamilies(folder, families) {
  return Object.entries(FAMILIES).map(([family, { from }]) => {
    const { version } = JSON.parse(readFileSync(join(folder, "node_modules", from, "package.json"), "utf8"));
    return { from: `${from}@${version}`, names: families[family].size };
  });
}

/** Names with the time fakefilter's crawler last saw them, and the time of its data. */
export function readSightings(folder) {
  const { t: takenAt, domains } = JSON.parse(
    readFileSync(join(folder, "node_modules/fakefilter/json/data_version2.json"), "utf8"),
  );
  const hosts = Object.values(domains).flatMap((domain) => Object.entries(domain.hosts));
  return { takenAt, seen: hosts.map(([name, { firstseen, lastseen }]) => ({ name, firstseen, lastseen })) };
}

function readFakefilter({ domains }) {
  return tidy(Object.entries(domains).flatMap(([domain, { hosts }]) => [domain, ...Object.keys(hosts)]));
}

/** The package bundles its three lists as string literals. */
function readBurner(source) {
  const list = (name) => {
    const literal = source.match(new RegExp(`var ${name}_default = (".*");`))?.[1];
    if (literal === undefined) throw new Error(`is-burner-email has no ${name}`);
    return tidy(lines(JSON.parse(literal)));
  };
  return { listed: list("blacklist"), allowed: new Set([...list("whitelist"), ...list("graylist")]) };
}

const lines = (text) => text.split(/\r?\n/).filter((line) => !line.startsWith("#"));

const tidy = (names) =>
  new Set(
    names.map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/^(?:\*\.|@)/, ""),
    ),
  );

function minus(names, others) {
  return new Set([...names].filter((name) => !others.some((other) => other.has(name))));
}
