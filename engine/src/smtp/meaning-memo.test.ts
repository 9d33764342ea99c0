import { expect, test } from "vitest";
import { readReply } from "./meaning.ts";
import { parseReply } from "./reply.ts";

const read = (text: string) => readReply({ stage: "rcpt", reply: parseReply(text) });

test("a meaning that a link decides is not used for the same sentence with another link", () => {
  const missing = "550 5.7.1 Message rejected, see https://mail.i.ua/err/2/";
  const blocked = "550 5.7.1 Message rejected, see https://mail.i.ua/err/9/";
  const neither = "550 5.7.1 Message rejected, see https://mail.example/help";
  for (let n = 0; n < 3; n++) expect(read(missing).category).toBe("mailbox_not_found");
  for (let n = 0; n < 3; n++) expect(read(blocked).category).toBe("ip_blocked");
  for (let n = 0; n < 3; n++) expect(read(neither).mailbox).not.toBe("does_not_exist");
});

test("a meaning that the server's own words decide is not used for the same words with another recipient's name", () => {
  const of = (recipient: string, text: string) =>
    readReply({ stage: "rcpt", reply: parseReply(text), recipient });
  for (let n = 0; n < 2; n++) {
    expect(of("quota@firm.example", "550 5.1.1 user quota unknown").category).toBe("mailbox_not_found");
    expect(of("ann@firm.example", "550 user quota unknown").mailbox).not.toBe("does_not_exist");
  }
});
