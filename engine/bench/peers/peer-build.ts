/**
 * Builds the drivers in aftership/ and reacher/ with the peers' libraries from their registries, into a cache directory
 * outside the tree. The versions are pinned by go.sum and Cargo.lock.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type PeerName = "AfterShip" | "Reacher";
export type BuiltPeer = { name: PeerName; program: string } | { name: PeerName; missing: string };

/** A first build of Reacher compiles some 300 crates. */
const BUILD_LIMIT_MS = 45 * 60_000;

const driver = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export async function buildPeers(): Promise<BuiltPeer[]> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "mailvet", "bench-peers");
  mkdirSync(cache, { recursive: true });
  const goProgram = join(cache, "aftership-driver");
  return [
    await build("AfterShip", goProgram, "go", ["build", "-mod=readonly", "-o", goProgram, "."], {
      cwd: driver("aftership"),
      env: { ...process.env, CGO_ENABLED: "0" }, // with Go's own resolver, the faster one
    }),
    await build(
      "Reacher",
      join(cache, "reacher/release/reacher-driver"),
      "cargo",
      ["build", "--release", "--locked", "--quiet", "--target-dir", join(cache, "reacher")],
      { cwd: driver("reacher") },
    ),
  ];
}

async function build(
  name: PeerName,
  program: string,
  tool: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<BuiltPeer> {
  const version = { go: "version", cargo: "--version" }[tool] ?? "";
  if (spawnSync(tool, [version], { stdio: "ignore" }).status !== 0) {
    return { name, missing: `${tool} is not installed` };
  }
  console.error(`building ${name}'s driver; the first time takes minutes`);
  const child = spawn(tool, args, { ...options, stdio: ["ignore", 2, 2], timeout: BUILD_LIMIT_MS });
  const [code] = (await once(child, "close")) as [number | null];
  return code === 0 ? { name, program } : { name, missing: "its driver could not be built" };
}
