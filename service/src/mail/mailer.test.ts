import { expect, test } from "vitest";
import { serverOf } from "./mailer.ts";

test("a password is sent to a mail server encrypted, or over loopback only", () => {
  expect(serverOf("smtps://ann:p%40ss@mail.example.com")).toEqual({
    host: "mail.example.com",
    port: 465,
    secure: true,
    auth: { user: "ann", pass: "p@ss" },
    requireTLS: false,
  });
  expect(serverOf("smtp://ann:secret@mail.example.com")).toMatchObject({ port: 587, requireTLS: true });
  expect(serverOf("smtp://ann:secret@[::1]:2525")).toMatchObject({
    host: "::1",
    port: 2525,
    requireTLS: false,
  });
  expect(serverOf("smtp://relay.example.com:25")).toEqual({
    host: "relay.example.com",
    port: 25,
    secure: false,
  });
});
