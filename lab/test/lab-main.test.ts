/** `npm run lab` as people start it: it says how to visit, what it says is so, and it leaves when asked to. */
import { spawn } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

test("the standing world tells how to visit it, answers there, and ends with a signal", async () => {
  const lab = spawn(process.execPath, [MAIN]);
  try {
    let said = "";
    for await (const chunk of lab.stdout.iterator({ destroyOnReturn: false })) {
      said += chunk;
      if (said.includes("Addresses to try") && said.endsWith("\n\n")) break;
    }
    const [, nameServer = "", port = "", allowed] =
      /export DNS_SERVERS=(\S+) SMTP_PORT=(\d+) EGRESS_ALLOW=(\S+)/.exec(said) ?? [];
    expect(allowed).toBe("127.0.0.0/8");
    expect(said).toContain("npx mailvet check ann@polite.example-lab.com");
    expect(said).toMatch(/eve@polite\.example-lab\.com +invalid mailbox_not_found/);

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
