import { expect, test } from "vitest";
import { MAILBOX_PROVIDER_NAMES } from "./free-provider-domains.ts";
import { isFreeProvider, LARGE_PROVIDERS } from "./free-providers.ts";

test("large mailbox providers and their national variants are known", () => {
  const domains = `gmail.com outlook.com hotmail.fr live.se yahoo.co.jp aol.de icloud.com proton.me tutanota.com gmx.at web.de
    mail.com zoho.eu fastmail.fm yandex.by mail.ru bk.ru qq.com 163.com naver.com docomo.ne.jp wp.pl seznam.cz azet.sk
    freemail.hu libero.it orange.fr t-online.de uol.com.br sapo.pt ziggo.nl telenet.be comhem.se inbox.lv otenet.gr
    mynet.com walla.co.il rediffmail.com singnet.com.sg mweb.co.za comcast.net btinternet.com eircom.net shaw.ca
    bigpond.com xtra.co.nz`;
  expect(domains.split(/\s+/).filter((domain) => !isFreeProvider(domain))).toEqual([]);
});

test("regional subdomains of an access provider count, similar names do not", () => {
  expect(isFreeProvider("tampabay.rr.com")).toBe(true);
  expect(isFreeProvider("ms15.hinet.net")).toBe(true);
  expect(isFreeProvider("mail.gmail.com")).toBe(false);
  expect(isFreeProvider("xrr.com")).toBe(false);
  expect(isFreeProvider("google.com")).toBe(false);
  expect(isFreeProvider("")).toBe(false);
});

test("every name in the table is a valid mail domain", () => {
  const odd = MAILBOX_PROVIDER_NAMES.filter(
    (name) => !/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/.test(name),
  );
  expect(odd).toEqual([]);
  expect(MAILBOX_PROVIDER_NAMES.length).toBeGreaterThan(1000);
});

test("the targets of typo correction are providers, gmail.com the largest", () => {
  expect([...LARGE_PROVIDERS.keys()].filter((domain) => !isFreeProvider(domain))).toEqual([]);
  expect(Math.max(...LARGE_PROVIDERS.values())).toBe(LARGE_PROVIDERS.get("gmail.com"));
});
