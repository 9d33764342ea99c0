/**
 * Gets a letter to its reader: through the operator's mail server, or, where none is set, by telling the operator.
 */
import { createTransport } from "nodemailer";

export type OutgoingEmail = { to: string; subject: string; text: string };

export type MailSettings = {
  /** smtps://user:password@host:port, or smtp:// for STARTTLS where the server has it. */
  url: string;
  sender: string;
};

export type Mailer = {
  /** Whether letters reach their readers, so that a link in one proves something. */
  reachesPeople: boolean;
  send(letter: OutgoingEmail): Promise<void>;
  close(): void;
};

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 20_000;
const CONNECTIONS = 2;
const SMTPS_PORT = 465;
const SUBMISSION_PORT = 587;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

export function createMailer(settings: MailSettings | undefined, say: (line: string) => void): Mailer {
  return settings ? bySmtp(settings) : byOperator(say);
}

function bySmtp({ url, sender }: MailSettings): Mailer {
  const transport = createTransport({
    ...serverOf(url),
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    reachesPeople: true,
    async send({ to, subject, text }) {
      await transport.sendMail({
        from: sender,
        to: { name: "", address: to }, // as an object it cannot be read as several addresses
        subject,
        text,
        headers: { "Auto-Submitted": "auto-generated" },
      });
    },
    close: () => transport.close(),
  };
}

/** How to talk to the server that a URL names. A password crosses a network encrypted or not at all. */
export function serverOf(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const server = { host, port: Number(port) || (secure ? SMTPS_PORT : SUBMISSION_PORT), secure };
  if (username === "") return server;
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { ...server, auth, requireTLS: !secure && !LOOPBACK.test(host) };
}

function byOperator(say: (line: string) => void): Mailer {
  return {
    reachesPeople: false,
    async send({ to, subject, text }) {
      say(`No mail server is set, so this is for you to pass on to ${to}.\n${subject}\n\n${text}`);
    },
    close() {},
  };
}
