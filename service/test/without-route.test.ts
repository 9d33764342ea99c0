/**
 * A host without a route: every outgoing client reports an ordinary failure, and the process lives.
 *
 * The clients (without-route-clients.ts) run in a network namespace that has only loopback, made by `unshare`: as root, or
 * with user namespaces. Where the machine forbids both, the test is skipped and says so; in CI it fails instead.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { ClientReport } from "./without-route-clients.ts";

const CLIENTS = fileURLToPath(new URL("./without-route-clients.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");
const IS_ROOT = process.getuid?.() === 0;
const NAMESPACE = ["--net", "--mount", ...(IS_ROOT ? [] : ["--map-root-user"])];

const probe = spawnSync("unshare", [...NAMESPACE, "ip", "link"], { encoding: "utf8" });
const problem = probe.status === 0 ? undefined : (probe.error?.message ?? probe.stderr.trim());
if (problem !== undefined) console.warn(`without-route.test.ts: no network namespace here: ${problem}`);

/** By client, in its own words. */
const FAILURES: readonly (readonly [RegExp, RegExp])[] = [
  [/^webhook/, /"isDelivered":false,"error":"(?:No connection, or no response|The connection was closed)/],
  [/^link/, /^Refusal: (?:No connection, or no response|The connection was closed)/],
  [/^(?:SMTP|SOCKS)/, /^\{"kind":"(?:no_route|unreachable|timeout)"|^"connected"$/], // and then lost
  [/^DNS/, /^\{"status":"(?:unreachable|timeout)"\}$/],
  [/^S3/, /^BlobStoreUnavailable: /],
  [/^mail server/, /^Error: /],
  [/^collector/, /^\[(?:"traces_export_failed")?\]$/],
  [/^disposable/, /^\{"outcome":"refused"/],
  [/^language model/, /^\{"failure":"(?:the connection failed|no answer in time)/],
  [/^SDK/, /^MailvetUnreachable: /],
];

test.skipIf(problem !== undefined && !process.env.TEST_ALL_ROUNDS)(
  "no client ends the process when a connection fails at once",
  async () => {
    const program = [process.execPath, "--import", TSX, "--conditions=source", CLIENTS];
    const child = spawn("unshare", [...NAMESPACE, ...program], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 540_000,
      killSignal: "SIGKILL",
    });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });

    const reports: ClientReport[] = JSON.parse(stdout);
    const unexpected = reports.filter(
      ({ client, answer }) => !FAILURES.some(([name, failure]) => name.test(client) && failure.test(answer)),
    );
    expect(unexpected).toEqual([]);
    expect(new Set(reports.map(({ situation }) => situation)).size).toBe(7);
  },
);
