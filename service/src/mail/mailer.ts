/** Sends emails through the configured mail server, or, without one, passes them to the operator. */
import type { Transporter } from "nodemailer";
import type { RenderedEmail } from "./email-layout.ts";

/** Without HTML: written by an earlier release. */
export type OutgoingEmail = Omit<RenderedEmail, "html"> & { to: string; html?: string | undefined };

export type MailSettings = {
  /** smtps://user:password@host:port, or smtp:// for STARTTLS where the server has it. */
  url: string;
  sender: string;
};

export type PassOn = (email: OutgoingEmail) => void;

export type Mailer = {
  /** Whether emails reach their recipients, so that opening a link proves access to the mailbox. */
  reachesPeople: boolean;
  send(email: OutgoingEmail): Promise<void>;
  close(): void;
};

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 20_000;
const CONNECTIONS = 2;
const SMTPS_PORT = 465;
const SUBMISSION_PORT = 587;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** `passOn` gets the emails when no mail server is configured. */
export function createMailer(settings: MailSettings | undefined, passOn: PassOn): Mailer {
  return settings ? bySmtp(settings) : byOperator(passOn);
}

function bySmtp({ url, sender }: MailSettings): Mailer {
  const options = {
    ...serverOf(url),
    pool: true as const,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  let opened: Promise<Transporter> | undefined;
  const open = async () => (await import("nodemailer")).createTransport(options); // large, and seldom needed
  return {
    reachesPeople: true,
    async send({ to, subject, text, html }) {
      opened ??= open();
      await (await opened).sendMail({
        from: sender,
        to: { name: "", address: to }, // as an object it cannot be read as several addresses
        subject,
        text,
        html,
        headers: { "Auto-Submitted": "auto-generated" },
      });
    },
    close: () => void opened?.then((transport) => transport.close()),
  };
}

/** Connection options from the URL. A password is never sent unencrypted over a network. */
export function serverOf(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const server = { host, port: Number(port) || (secure ? SMTPS_PORT : SUBMISSION_PORT), secure };
  if (username === "") return server;
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { ...server, auth, requireTLS: !secure && !LOOPBACK.test(host) };
}

function byOperator(passOn: PassOn): Mailer {
  return {
    reachesPeople: false,
    send: async (email) => passOn(email),
    close() {},
  };
}
