/** `npm run lab` as a process: its instructions, its servers, and its exit. */
import { spawn } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

test("the lab prints its instructions, answers there, and exits on a signal", async () => {
  const lab = spawn(process.execPath, [MAIN]);
  try {
    let output = "";
    for await (const chunk of lab.stdout.iterator({ destroyOnReturn: false })) {
      output += chunk;
      if (output.includes("Sample addresses") && output.endsWith("\n\n")) break;
    }
    const [, nameServer = "", port = "", allowed] =
      /export DNS_SERVERS=(\S+) SMTP_PORT=(\d+) EGRESS_ALLOW=(\S+)/.exec(output) ?? [];
    expect(allowed).toBe("127.0.0.0/8");
    expect(output).toContain("npx mailvet check ann@polite.example-lab.com");
    expect(output).toMatch(/eve@polite\.example-lab\.com +invalid mailbox_not_found/);

    const resolver = new Resolver();
    resolver.setServers([nameServer]);
    const [exchanger] = await resolver.resolveMx("polite.example-lab.com");
    const [address = ""] = await resolver.resolve4(exchanger?.exchange ?? "");
    const socket = connect({ host: address, port: Number(port) });
    const [banner] = (await once(socket, "data")) as [Buffer];
    expect(banner.toString()).toMatch(/^220 mx\.polite\.example-lab\.com /);
    socket.destroy();
  } finally {
    lab.kill("SIGTERM");
  }
  const [code, signal] = lab.exitCode === null ? await once(lab, "exit") : [lab.exitCode, null];
  expect({ code, signal }).toEqual({ code: 0, signal: null });
});
