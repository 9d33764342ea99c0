/** A plain scripted SMTP client for the stories of this folder: send a line, read a whole reply. */
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";

export type MailClient = AsyncDisposable & {
  /** The next whole reply, "\n" between its lines; "closed" when the server has hung up. */
  reply(): Promise<string>;
  send(text: string): void;
  /** One command, its reply. */
  ask(line: string): Promise<string>;
  /** Greeting, MAIL, and so ready for RCPT. Returns the EHLO reply. */
  enter(): Promise<string>;
  startTls(options?: ConnectionOptions): Promise<{ client: MailClient; expires: string }>;
  /** Everything received and not yet read as a reply. */
  unread(): Buffer;
  close(): void;
};

export async function callMail(server: { address: string; port: number }): Promise<MailClient> {
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
  const ask = (line: string) => {
    send(`${line}\r\n`);
    return reply();
  };
  return {
    reply,
    send,
    ask,
    async enter() {
      await reply();
      const hello = await ask("EHLO prober.example");
      await ask("MAIL FROM:<probe@prober.example>");
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
