/** A mail server and a client connected to it, both closed at the end of the test. */
import { onTestFinished } from "vitest";
import { type MailServer, type MailServerOptions, startMailServer, type Temper } from "../src/mail/index.ts";
import { type MailClient, openMailClient } from "./mail-client.ts";

/** The server has ann and bob at lab.example and second.example. */
export async function connectTo(
  temper: Temper,
  more: Partial<MailServerOptions> = {},
): Promise<[MailClient, MailServer]> {
  const server = await startMailServer({
    address: "127.0.0.10",
    port: 0,
    domains: ["lab.example", "second.example"],
    users: ["ann", "bob"],
    temper,
    ...more,
  });
  onTestFinished(() => server.close());
  return [await connectClient(server), server];
}

export async function connectClient(server: MailServer): Promise<MailClient> {
  const client = await openMailClient(server);
  onTestFinished(() => client.close());
  return client;
}

export const rcpt = (user: string) => `RCPT TO:<${user.includes("@") ? user : `${user}@lab.example`}>`;
