/**
 * Completes package-lock.json: packages with a binary for each platform list them as optional dependencies, and npm
 * leaves out of the lock file whatever the registry did not have at that moment. `npm ci` then refuses the lock file,
 * and another platform would get no binary. Run it after every change of dependencies:
 *
 *   npm run lock
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PATH = join(dirname(dirname(fileURLToPath(import.meta.url))), "package-lock.json");

/** Packages that a locked package may bring and that the lock file does not name. */
export function missingOptionals(lock) {
  const missing = {};
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
    if (path === "") continue;
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const isLocked = [`${path}/node_modules/${name}`, `node_modules/${name}`].some(
        (place) => lock.packages[place],
      );
      if (!isLocked) missing[`node_modules/${name}`] = entryFor(name, version, dev);
    }
  }
  return missing;
}

/** @biomejs/cli-linux-arm64-musl, @rolldown/binding-win32-x64-msvc …: the name says where it runs. */
function entryFor(name, version, dev) {
  const words = name.split("/").at(-1).split("-");
  const pick = (known) => words.filter((word) => known.includes(word));
  const os = pick([
    "aix",
    "android",
    "darwin",
    "freebsd",
    "linux",
    "netbsd",
    "openbsd",
    "openharmony",
    "sunos",
    "win32",
  ]);
  const cpu = pick([
    "arm",
    "arm64",
    "ia32",
    "loong64",
    "mips64el",
    "ppc64",
    "riscv64",
    "s390x",
    "wasm32",
    "x64",
  ]);
  if (/^\D/.test(version) || (os.length === 0 && cpu.length === 0)) {
    throw new Error(`${name}@${version} is no binary for one platform; look at it by hand`);
  }
  const libc = words.includes("musl") ? ["musl"] : words.includes("gnu") ? ["glibc"] : [];
  return {
    version,
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(dev ? { dev } : {}),
    ...(libc.length > 0 && os.includes("linux") ? { libc } : {}),
    optional: true,
    ...(os.length > 0 ? { os } : {}),
  };
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  const lock = JSON.parse(readFileSync(PATH, "utf8"));
  const missing = missingOptionals(lock);
  const packages = Object.entries({ ...lock.packages, ...missing });
  lock.packages = Object.fromEntries(packages.sort(([a], [b]) => a.localeCompare(b, "en"))); // as npm does
  writeFileSync(PATH, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${Object.keys(missing).length} packages added to package-lock.json`);
}
