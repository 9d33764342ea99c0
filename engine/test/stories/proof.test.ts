/** Rejections that prove nothing about a mailbox: temporary ones, and those before RCPT. */
import { answersWith, mailDomain } from "@mailvet/lab";
import { tellStories } from "./story.ts";

const at = (stage: "banner" | "ehlo" | "mail" | "rcpt", reply: string) =>
  mailDomain({ users: ["ann"], temper: answersWith({ at: stage, reply }) });
const temporary = { ann: "unknown temporary_error" };
const blocked = { ann: "unknown probe_blocked" };

tellStories([
  [
    "temporarily disabled is not disabled",
    at("rcpt", "450 4.2.1 The mailbox is temporarily disabled"),
    temporary,
  ],
  [
    "relay access denied with 454 is temporary",
    at("rcpt", "454 4.7.1 <ann@story.test>: Relay access denied"),
    temporary,
  ],
  [
    "domain not found with 450 is a failed lookup",
    at("rcpt", "450 4.1.2 <ann@story.test>: Recipient address rejected: Domain not found"),
    temporary,
  ],
  ["no such user with 451 is temporary", at("rcpt", "451 4.3.0 No such user here"), temporary],
  ["no such domain at MAIL is our sender's domain", at("mail", "550 5.1.2 No such domain"), blocked],
  [
    "relaying denied at MAIL is about the client",
    at("mail", "550 5.7.1 Relaying denied. IP name lookup failed [127.0.0.1]"),
    blocked,
  ],
  [
    "a callout that failed at MAIL is about our sender",
    at("mail", "550 5.1.1 <probe@mailvet-lab.example>: user does not exist at its own mail server"),
    blocked,
  ],
  ["domain disabled at EHLO is about the client", at("ehlo", "550 Domain disabled"), blocked],
  ["user unknown at the banner is about the client", at("banner", "554 5.1.1 User unknown"), blocked],
]);
