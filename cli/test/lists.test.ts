/** Stories of mailvet lists as a program: what it takes, and what its help promises. */
import { expect, test } from "vitest";
import { mailvet } from "./command.ts";

test.for(["file:///etc/hosts", "data:text/plain,example.com", "ftp://shop.io/list", "list.txt"])(
  "a list from %s is bad usage",
  async (url) => {
    const { code, stderr } = await mailvet(["lists", "refresh", "--from", url]);
    expect(code).toBe(2);
    expect(stderr).toContain("is not an http or https URL");
  },
);

test("the help says what is added to what, and what force waives", async () => {
  const { stdout } = await mailvet(["lists", "refresh", "--help"]);
  const words = stdout.replace(/\s+/g, " ");
  expect(words).toContain("in addition to the packaged list");
  expect(words).toContain("fewer than 1,000 names");
});
