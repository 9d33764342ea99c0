/** Minimal SMTP client for tests: sends a line, reads a complete reply. */
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";

export type MailClient = AsyncDisposable & {
  /** The next complete reply, "\n" between its lines; "closed" after a disconnect. */
  reply(): Promise<string>;
  send(text: string): void;
  /** Sends a command and returns its reply. */
  command(line: string): Promise<string>;
  /** EHLO and MAIL, so that RCPT can follow. Returns the EHLO reply. */
  enter(): Promise<string>;
  startTls(options?: ConnectionOptions): Promise<{ client: MailClient; expires: string }>;
  /** Bytes received but not returned as a reply yet. */
  unread(): Buffer;
  close(): void;
};

export async function openMailClient(server: { address: string; port: number }): Promise<MailClient> {
  const socket = connect({ host: server.address, port: server.port });
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return clientOver(socket);
}

function clientOver(socket: Socket): MailClient {
  let received = Buffer.alloc(0);
  let closed = false;
  let wake: () => void = () => {};
  socket.on("error", () => {});
  socket.on("data", onData);
  for (const event of ["end", "close"]) {
    socket.once(event, () => {
      closed = true;
      wake();
    });
  }

  function onData(bytes: Buffer): void {
    received = Buffer.concat([received, bytes]);
    wake();
  }

  async function reply(): Promise<string> {
    for (;;) {
      const text = received.toString("latin1");
      const whole = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/.exec(text)?.[0];
      if (whole !== undefined) {
        received = received.subarray(whole.length);
        return whole.trimEnd().replaceAll("\r\n", "\n");
      }
      if (closed) return "closed";
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  const send = (text: string) => void socket.write(text);
  const command = (line: string) => {
    send(`${line}\r\n`);
    return reply();
  };
  return {
    reply,
    send,
    command,
    async enter() {
      await reply();
      const hello = await command("EHLO prober.example");
      await command("MAIL FROM:<probe@prober.example>");
      return hello;
    },
    async startTls(options = {}) {
      socket.off("data", onData);
      const secure = connectTls({ socket, rejectUnauthorized: false, ...options });
      await new Promise((resolve, reject) => {
        secure.once("secureConnect", resolve).once("error", reject);
        socket.once("close", () => reject(new Error("closed during the handshake")));
      });
      return { client: clientOver(secure), expires: secure.getPeerCertificate().valid_to };
    },
    unread: () => received,
    close: () => socket.destroy(),
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
    },
  };
}
