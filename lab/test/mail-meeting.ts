/** A mail server and a client that has just connected to it, both gone when the test is over. */
import { onTestFinished } from "vitest";
import { type MailServer, type MailServerOptions, startMailServer, type Temper } from "../src/mail/index.ts";
import { callMail, type MailClient } from "./mail-client.ts";

/** The server has lab.example and second.example, with ann and bob at both. */
export async function meet(
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
  return [await call(server), server];
}

export async function call(server: MailServer): Promise<MailClient> {
  const client = await callMail(server);
  onTestFinished(() => client.close());
  return client;
}

export const rcpt = (user: string) => `RCPT TO:<${user.includes("@") ? user : `${user}@lab.example`}>`;
