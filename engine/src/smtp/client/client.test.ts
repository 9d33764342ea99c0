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

async function openClient(serve: (socket: Socket) => void) {
  const server = createServer(serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const egress = { ehloName: "probe.test", mailFrom: "probe@probe.test" };
  const dial = createConnect({ guard: { permits: () => true }, port, egress: {} });
  const features = { startTls: true, pipelining: true, ehlo: true };
  const host = { name: "mx", address: "127.0.0.1" };
  const opened = await openSmtpClient({ dial, egress }, host, features, 600_000);
  server.close();
  if (opened.kind !== "ready") throw new Error(opened.kind);
  return opened.client;
}

test("a session is over when the server has answered QUIT, however slowly: it may refuse the next one until then", async () => {
  let ended: Promise<boolean> | undefined;
  const client = await openClient((socket) => {
    ended = serveSlowEnd(socket);
  });
  await client.sendBatch([{ recipients: ["ann@shop.test"], smtpUtf8: false, isNew: true }], 600_000);
  await client.quit();
  expect(await ended).toBe(true);
});

test("a refused MAIL is the answer for all recipients after it, also of a transaction that it was to begin", async () => {
  const replies: Record<string, string> = { ...REPLIES, MAIL: "450 4.7.1 Later", RCPT: "503 Need MAIL" };
  const client = await openClient((socket) => {
    socket.write("220 mx\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      socket.write(`${replies[line.split(" ")[0]!] ?? "250 Ok"}\r\n`);
    });
  });
  const { answers } = await client.sendBatch(
    [
      { recipients: ["ann@shop.test"], smtpUtf8: false, isNew: true },
      { recipients: ["bob@shop.test"], smtpUtf8: false, isNew: false },
    ],
    600_000,
  );
  await client.quit();
  expect(answers.flat().map((answer) => `${answer?.stage} ${answer?.reply.code}`)).toEqual([
    "mail 450",
    "mail 450",
  ]);
});

/** Each command gets these replies, or silence; "close" ends the connection. */
function serveScript(script: readonly (readonly string[])[], pauseBeforeCloseMs = 0) {
  return (socket: Socket) => {
    const steps = [...script];
    socket.on("error", () => {});
    socket.write("220 mx\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      const [verb = ""] = line.split(" ");
      const replies = verb === "EHLO" || verb === "QUIT" ? [REPLIES[verb]!] : (steps.shift() ?? ["250 Ok"]);
      for (const reply of replies) {
        if (reply === "close") setTimeout(() => socket.end(), pauseBeforeCloseMs);
        else if (socket.writable) socket.write(`${reply}\r\n`);
      }
    });
  };
}

const REFUSED = "550 5.1.1 User unknown";
const refused = (name: string) => `550 5.1.1 <${name}@shop.test>: User unknown`;
const SILENCE: string[] = [];
const CLOSE = ["close"];

test.each([
  ["silence: any reply may be the missing one", [["250 Ok"], SILENCE, ["250 Ok"], [REFUSED]], 0, []],
  [
    "silence after replies that name their recipients: those count",
    [["250 Ok"], ["250 Ok"], [refused("bob")], SILENCE],
    0,
    ["rcpt 250", "rcpt 550"],
  ],
  [
    "a reply that names another recipient: nothing from there counts",
    [["250 Ok"], [refused("ann")], [refused("ann")], [refused("bob")]],
    0,
    ["rcpt 550"],
  ],
  [
    "a close: all replies before it count",
    [["250 Ok"], ["250 Ok"], [REFUSED], CLOSE],
    0,
    ["rcpt 250", "rcpt 550"],
  ],
  ["a close after a long pause is silence", [["250 Ok"], SILENCE, ["250 Ok"], [REFUSED, "close"]], 3500, []], // timing: delay of the server
] as const)(
  "fewer replies than pipelined recipients, %s",
  async (_, script, pauseBeforeCloseMs, expected) => {
    const client = await openClient(serveScript(script, pauseBeforeCloseMs));
    const recipients = ["ann@shop.test", "bob@shop.test", "eve@shop.test"];
    const timeoutMs = script.some((step) => step.includes("close" as never)) ? 600_000 : 3000;
    const { answers, ending } = await client.sendBatch(
      [{ recipients, smtpUtf8: false, isNew: true }],
      timeoutMs,
    );
    expect(ending).toBeDefined();
    expect(answers.flat().map((answer) => `${answer?.stage} ${answer?.reply.code}`)).toEqual(expected);
  },
);
