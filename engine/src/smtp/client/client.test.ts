import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openSmtpClient } from "./client.ts";
import { type Connect, createConnect } from "./connect.ts";

// Time passes only where a test says so, however slow the machine is.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.advanceTimersByTime(1000); // performance.now() is never 0
});
afterEach(() => void vi.useRealTimers());

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
      if (isSlow) {
        vi.advanceTimersByTime(SLOWLY_MS);
        for (let i = 0; i < 10; i++) await turn(); // a client whose time is up would close now
      }
      hasAnsweredQuit ||= verb === "QUIT" && socket.writable;
      if (socket.writable) socket.write(`${REPLIES[verb] ?? "250 Ok"}\r\n`);
    });
  });
  await once(socket, "end");
  return hasAnsweredQuit;
}

/** `bytesRead` by the client. */
type Serve = (socket: Socket, bytesRead: () => number) => void;

async function openClient(serve: Serve) {
  let ours: Socket | undefined;
  const server = createServer((socket) => serve(socket, () => ours?.bytesRead ?? 0)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const egress = { ehloName: "probe.test", mailFrom: "probe@probe.test" };
  const connect = createConnect({ guard: { permits: () => true }, port, egress: {} });
  const dial: Connect = (address, timeoutMs) => connect(address, timeoutMs, (socket) => (ours = socket));
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

type Ending = { afterMs: number; isClose: boolean };

/** Each command gets a reply, or silence. Then the server is silent for some time, and may close the connection. */
function serveScript(script: readonly (string | undefined)[], ending: Ending | undefined): Serve {
  return (socket, bytesRead) => {
    const steps = [...script];
    socket.on("error", () => {});
    socket.write("220 mx\r\n");
    createInterface({ input: socket }).on("line", async (line) => {
      const [verb = ""] = line.split(" ");
      if (verb === "QUIT") return; // the client may have closed already
      const reply = verb === "EHLO" ? REPLIES.EHLO : steps.shift();
      if (reply) socket.write(`${reply}\r\n`);
      if (verb === "EHLO" || steps.length > 0 || !ending) return;
      await expect.poll(bytesRead).toBe(socket.bytesWritten);
      vi.advanceTimersByTime(ending.afterMs);
      if (ending.isClose) socket.end();
    });
  };
}

const REFUSED = "550 5.1.1 User unknown";
const refused = (name: string) => `550 5.1.1 <${name}@shop.test>: User unknown`;
const accepted = (name: string) => `250 2.1.5 <${name}@shop.test>... Recipient ok`;
const SILENCE = undefined;
const TIMEOUT_MS = 600_000;
const TIMES_OUT: Ending = { afterMs: TIMEOUT_MS, isClose: false };

test.each([
  ["silence: any reply may be the missing one", ["250 Ok", SILENCE, "250 Ok", REFUSED], TIMES_OUT, []],
  [
    "silence after replies that name their recipients: those count",
    ["250 Ok", "250 Ok", refused("bob"), SILENCE],
    TIMES_OUT,
    ["rcpt 250", "rcpt 550"],
  ],
  [
    "a reply that names another recipient: nothing from there counts",
    ["250 Ok", refused("ann"), refused("ann"), refused("bob")],
    undefined,
    ["rcpt 550"],
  ],
  [
    "the same, after an acceptance that is repeated: nothing from there counts",
    ["250 Ok", accepted("ann"), accepted("ann"), refused("bob")],
    undefined,
    ["rcpt 250"],
  ],
  [
    "a close: all replies before it count",
    ["250 Ok", "250 Ok", REFUSED, SILENCE],
    { afterMs: 0, isClose: true },
    ["rcpt 250", "rcpt 550"],
  ],
  [
    "a close after a long pause is silence",
    ["250 Ok", SILENCE, "250 Ok", REFUSED],
    { afterMs: 3500, isClose: true },
    [],
  ],
])("fewer replies than pipelined recipients, %s", async (_, script, end, expected) => {
  const client = await openClient(serveScript(script, end));
  const recipients = ["ann@shop.test", "bob@shop.test", "eve@shop.test"];
  const batch = [{ recipients, smtpUtf8: false, isNew: true }];
  const { answers, ending } = await client.sendBatch(batch, TIMEOUT_MS);
  expect(ending).toBeDefined();
  expect(answers.flat().map((answer) => `${answer?.stage} ${answer?.reply.code}`)).toEqual(expected);
});

test("Sendmail names the first of several aliases of one mailbox in all its replies", async () => {
  const replies = ["250 Ok", accepted("ann"), accepted("ann"), accepted("ann")];
  const client = await openClient(serveScript(replies, undefined));
  const recipients = ["ann@shop.test", "bob@shop.test", "eve@shop.test"];
  const { answers, ending } = await client.sendBatch(
    [{ recipients, smtpUtf8: false, isNew: true }],
    TIMEOUT_MS,
  );
  expect(ending).toBeUndefined();
  expect(answers.flat().map((answer) => answer?.reply.code)).toEqual([250, 250, 250]);
});
