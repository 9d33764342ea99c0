import { expect, test } from "vitest";
import { createSessionCookie } from "./session-cookie.ts";

test.each([
  ["mailvet=abc", "abc"],
  ["theme=dark; mailvet=abc; lang=en", "abc"],
  ["notmailvet=evil; mailvet=abc", "abc"],
  ["theme=mailvet=evil", undefined],
  ["", undefined],
])("in the header %j the token is %j", (cookie, token) => {
  expect(createSessionCookie("http://localhost:8080").read({ headers: { cookie } })).toBe(token);
});

test("over https a cookie without the __Host- prefix is ignored", () => {
  const cookie = createSessionCookie("https://mailvet.example");
  expect(cookie.read({ headers: { cookie: "mailvet=evil" } })).toBeUndefined();
  expect(cookie.read({ headers: { cookie: "mailvet=evil; __Host-mailvet=abc" } })).toBe("abc");
});
