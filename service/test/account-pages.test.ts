/** The pages that links in mails lead to. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openService, type TestService } from "./service.ts";

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service[Symbol.asyncDispose]());

test.for(["/confirm-email?token=abc", "/reset-password?token=abc", "/sign-in"])(
  "%s is a page",
  async (path) => {
    const page = await fetch(service.url + path);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self';");
    expect(page.headers.get("cache-control")).toBe("no-store"); // the address holds a secret
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    const script = /<script src="([^"]+)"/.exec(await page.text())?.[1];
    const code = await fetch(service.url + script);
    expect(code.headers.get("content-type")).toContain("text/javascript");
    new Function(await code.text()); // it can be read as a script at least
  },
);

test("the front door leads to the API's reference", async () => {
  const door = await fetch(service.url, { redirect: "manual" });
  expect([door.status, door.headers.get("location")]).toEqual([302, "/docs"]);
});
