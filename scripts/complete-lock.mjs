/**
 * Completes package-lock.json: packages with a binary for each platform list them as optional dependencies, and npm
 * leaves out of the lock file whatever the registry did not have at that moment. `npm ci` then refuses the lock file,
 * and another platform would get no binary, or one without a hash to check. Run it after every change of dependencies:
 *
 *   npm run lock
 *
 * It fails when the registry does not have a package: choose a version of which it has every binary.
 */
import { execFileSync } from "node:child_process";
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

/** Paths of locked packages without a hash. Workspaces have none. */
export function withoutIntegrity(lock) {
  return Object.entries(lock.packages).flatMap(([path, { integrity, link }]) =>
    path.includes("node_modules/") && !link && !integrity ? [path] : [],
  );
}

/** The names of locked packages that run a program when they are installed. */
export function withInstallScript(lock) {
  const names = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [nameAt(path)] : [],
  );
  return [...new Set(names)].sort();
}

const nameAt = (path) => path.split("node_modules/").at(-1);

/** From the registry that npm is configured to use. Undefined when it does not have this version. */
function integrityOf(name, version) {
  try {
    const options = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
    return execFileSync("npm", ["view", `${name}@${version}`, "dist.integrity"], options).trim() || undefined;
  } catch {
    return undefined;
  }
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
  for (const path of withoutIntegrity(lock)) {
    const { version, ...rest } = lock.packages[path];
    const integrity = integrityOf(nameAt(path), version);
    if (integrity) lock.packages[path] = { version, integrity, ...rest };
  }
  writeFileSync(PATH, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${Object.keys(missing).length} packages added to package-lock.json`);
  const unknown = withoutIntegrity(lock);
  if (unknown.length > 0) {
    console.error(`The registry does not have: ${unknown.map(nameAt).join(", ")}`);
    process.exitCode = 1;
  }
}
