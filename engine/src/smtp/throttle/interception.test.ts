import { expect, test } from "vitest";
import { Interception } from "./interception.ts";

const HOSTS = {
  google: "gmail-smtp-in.l.google.com",
  outlook: "shop.olc.protection.outlook.com",
  yahoo: "mta5.am0.yahoodns.net",
  gmx: "mx00.gmx.net",
};

type GreetingRow = [host: string, bannerName: string | undefined];

function after(...greetings: GreetingRow[]): Interception {
  const interception = new Interception();
  for (const [host, bannerName] of greetings) interception.greeted({ host, bannerName });
  return interception;
}

test("the same foreign name at three providers is a device, and no other name is", () => {
  const interception = after([HOSTS.google, "fw.test"], [HOSTS.outlook, "fw.test"], [HOSTS.yahoo, "fw.test"]);
  const host = "mx.shop.test";
  expect(interception.isDevice({ host, bannerName: "fw.test" })).toBe(true);
  expect(interception.isDevice({ host, bannerName: "mx.shop.test" })).toBe(false);
  expect(interception.isDevice({ host, bannerName: undefined })).toBe(false);
});

test.each<[string, GreetingRow[]]>([
  [
    "two providers",
    [
      [HOSTS.google, "fw.test"],
      [HOSTS.outlook, "fw.test"],
    ],
  ],
  [
    "unknown providers",
    [
      ["mx.a.test", "fw.test"],
      ["mx.b.test", "fw.test"],
      ["mx.c.test", "fw.test"],
    ],
  ],
  [
    "hosts of one provider",
    [
      [HOSTS.google, "fw.test"],
      ["alt1.gmail-smtp-in.l.google.com", "fw.test"],
      ["alt2.gmail-smtp-in.l.google.com", "fw.test"],
    ],
  ],
  [
    "different names",
    [
      [HOSTS.google, "a.test"],
      [HOSTS.outlook, "b.test"],
      [HOSTS.yahoo, "fw.test"],
    ],
  ],
  [
    "banners without a name",
    [
      [HOSTS.google, undefined],
      [HOSTS.outlook, undefined],
      [HOSTS.yahoo, undefined],
    ],
  ],
  [
    "a host of one of the providers",
    [
      [HOSTS.google, "gmx.net"],
      [HOSTS.outlook, "gmx.net"],
      [HOSTS.gmx, "gmx.net"],
    ],
  ],
])("%s: no device", (_, greetings) => {
  const interception = after(...greetings);
  for (const [host, bannerName] of greetings) expect(interception.isDevice({ host, bannerName })).toBe(false);
});

test("who rents machines at three providers cannot make the host of another one a device", () => {
  const bannerName = "mx.google.com";
  const interception = after(
    ["server1.web-hosting.com", bannerName],
    ["server2.websitewelcome.com", bannerName],
    ["server3.secureserver.net", bannerName],
  );
  expect(interception.isDevice({ host: HOSTS.google, bannerName })).toBe(false);
  expect(interception.isDevice({ host: "mx.shop.test", bannerName })).toBe(true);
});

test("once the providers answer themselves again, there is none", () => {
  const interception = after([HOSTS.google, "fw.test"], [HOSTS.outlook, "fw.test"], [HOSTS.yahoo, "fw.test"]);
  interception.greeted({ host: HOSTS.google, bannerName: "mx.google.com" });
  expect(interception.isDevice({ host: HOSTS.yahoo, bannerName: "fw.test" })).toBe(false);
});
