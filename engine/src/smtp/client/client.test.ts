import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { openSmtpClient } from "./client.ts";
import { createConnect } from "./connect.ts";

const REPLIES: Record<string, string> = { EHLO: "250-mx\r\n250 PIPELINING", QUIT: "221 Bye" };
/** Postfix: a second, after too many errors. */
const SLOWLY_MS = 1500;

/** Delays its replies to the last two commands. Returns when the client closes, and whether QUIT was answered before. */
async function serveSlowEnd(socket: Socket): Promise<boolean> {
  let hasAnsweredQuit = false;
  let delay = Promise.resolve();
  socket.write("220 mx\r\n");
  createInterface({ input: socket }).on("line", (line) => {
    const [verb = ""] = line.split(" ");
    const isSlow = verb === "RSET" || verb === "QUIT";
    delay = delay.then(async () => {
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, SLOWLY_MS)); // timing: delay of the server
      hasAnsweredQuit ||= verb === "QUIT" && socket.writable;
      if (socket.writable) socket.write(`${REPLIES[verb] ?? "250 Ok"}\r\n`);
    });
  });
  await once(socket, "end");
  return hasAnsweredQuit;
}

test("a session is over when the server has answered QUIT, however slowly: it may refuse the next one until then", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const ended = once(server, "connection").then(([socket]) => serveSlowEnd(socket as Socket));
  const { port } = server.address() as AddressInfo;
  const egress = { ehloName: "probe.test", mailFrom: "probe@probe.test" };
  const dial = createConnect({ guard: { permits: () => true }, port, egress: {} });
  const features = { startTls: true, pipelining: true, ehlo: true };
  const opened = await openSmtpClient(
    { dial, egress },
    { name: "mx", address: "127.0.0.1" },
    features,
    600_000,
  );
  if (opened.kind !== "ready") throw new Error(opened.kind);
  await opened.client.sendBatch([{ recipients: ["ann@shop.test"], smtpUtf8: false, isNew: true }], 600_000);
  await opened.client.quit();
  expect(await ended).toBe(true);
  server.close();
});
