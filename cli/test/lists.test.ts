/** mailvet lists as a program: its options and its help. */
import { expect, test } from "vitest";
import { mailvet } from "./command.ts";

test.for(["file:///etc/hosts", "data:text/plain,example.com", "ftp://shop.io/list", "list.txt"])(
  "a list from %s is rejected",
  async (url) => {
    const { code, stderr } = await mailvet(["lists", "refresh", "--from", url]);
    expect(code).toBe(2);
    expect(stderr).toContain("is not an http or https URL");
  },
);

test("the help explains --from and --force", async () => {
  const { stdout } = await mailvet(["lists", "refresh", "--help"]);
  const text = stdout.replace(/\s+/g, " ");
  expect(text).toContain("in addition to the packaged list");
  expect(text).toContain("fewer than 1,000 names");
});
