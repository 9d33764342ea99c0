/**
 * A host without a route: every outgoing client reports an ordinary failure, and the process lives.
 *
 * The clients (without-route-clients.ts) run in a network namespace that has only loopback, made by `unshare`: as root, or
 * with user namespaces. Where the machine forbids both, the test is skipped and says so; as root it fails instead.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { ClientReport } from "./without-route-clients.ts";

const CLIENTS = fileURLToPath(new URL("./without-route-clients.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");
const IS_ROOT = process.getuid?.() === 0;
const NAMESPACE = ["--net", "--mount", ...(IS_ROOT ? [] : ["--map-root-user"])];

const probe = spawnSync("unshare", [...NAMESPACE, "true"], { encoding: "utf8" });
const problem = probe.status === 0 ? undefined : (probe.error?.message ?? probe.stderr.trim());
if (problem !== undefined) console.warn(`without-route.test.ts: no network namespace here: ${problem}`);

test.skipIf(problem !== undefined && !IS_ROOT)(
  "no client ends the process when a connection fails at once",
  () => {
    const program = [process.execPath, "--import", TSX, "--conditions=source", CLIENTS];
    const { status, stdout, stderr } = spawnSync("unshare", [...NAMESPACE, ...program], {
      encoding: "utf8",
      timeout: 540_000,
      killSignal: "SIGKILL",
    });

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const reports: ClientReport[] = JSON.parse(stdout);
    const unexpected = reports.filter(({ answer, expected }) => !answer.includes(expected));
    expect(unexpected).toEqual([]);
    expect(reports.length).toBeGreaterThan(0);
  },
);
