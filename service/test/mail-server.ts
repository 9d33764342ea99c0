/** A mail server on loopback that stores received messages. */
import { SMTPServer } from "smtp-server";
import { expect } from "vitest";
import type { MailSettings } from "../src/accounts/mailer.ts";

export type ReceivedMail = { to: string[]; from: string; content: string };

export async function openMailServer() {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    disableReverseLookup: true, // it would ask the name servers of this machine, and delay the greeting
    disabledCommands: ["STARTTLS", "AUTH"],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, content: unfolded(Buffer.concat(chunks).toString()) });
        done();
      });
    },
  });
  server.on("error", () => {}); // disconnects are expected
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as { port: number };
  const mail: MailSettings = { url: `smtp://127.0.0.1:${port}`, sender: "mailvet@example.net" };
  return {
    mail,
    mails,
    /** The first message with this text, once it has arrived. */
    async with(text: string): Promise<ReceivedMail> {
      await expect.poll(() => mails.map(({ content }) => content).join("\n")).toContain(text);
      return mails.find(({ content }) => content.includes(text))!;
    },
    /** The message with this index, once it has arrived. */
    async received(number: number): Promise<ReceivedMail> {
      await expect.poll(() => mails.length).toBeGreaterThanOrEqual(number);
      return mails[number - 1]!;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Decodes quoted-printable text. */
function unfolded(content: string): string {
  return content
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
