import { expect, test } from "vitest";
import { isSameOperator, mailProviderOf } from "./mail-provider.ts";

test.each([
  ["gmail.com", "gmail-smtp-in.l.google.com", "google"],
  ["gmail.com", "alt1.gmail-smtp-in.l.google.com", "google"],
  ["firm.example", "aspmx.l.google.com", "google_workspace"],
  ["firm.example", "alt2.aspmx.l.google.com", "google_workspace"],
  ["firm.example", "smtp.google.com", "google_workspace"],
  ["firm.example", "aspmx3.googlemail.com", "google_workspace"],
  ["outlook.com", "outlook-com.olc.protection.outlook.com", "outlook"],
  ["firm.example", "firm-example.mail.protection.outlook.com", "microsoft_365"],
  ["firm.example", "firm-example.a-v1.mx.microsoft", "microsoft_365"],
  ["yahoo.com", "mta5.am0.yahoodns.net", "yahoo"],
  ["icloud.com", "mx01.mail.icloud.com", "icloud"],
  ["firm.example", "mailsec.protonmail.ch", "proton"],
  ["firm.example", "in1-smtp.messagingengine.com", "fastmail"],
  ["gmx.de", "mx00.emig.gmx.net", "gmx"],
  ["web.de", "mx-ha02.web.de", "web_de"],
  ["mail.com", "mx00.mail.com", "mail_com"],
  ["firm.example", "mx00.ionos.de", "ionos"],
  ["mail.ru", "mxs.mail.ru", "mail_ru"],
  ["firm.example", "mx.yandex.net", "yandex"],
  ["qq.com", "mx3.qq.com", "qq"],
  ["firm.example", "mxbiz1.qq.com", "tencent_exmail"],
  ["firm.example", "eu-smtp-inbound-1.mimecast.com", "mimecast"],
  ["firm.example", "mxa-00123456.gslb.pphosted.com", "proofpoint"],
  ["firm.example", "d1234.a.ess.barracudanetworks.com", "barracuda"],
  ["firm.example", "mx1.hc123-45.iphmx.com", "cisco_ironport"],
  ["firm.example", "route1.mx.cloudflare.net", "cloudflare"],
  ["firm.example", "inbound-smtp.eu-west-1.amazonaws.com", "amazon_ses"],
  ["firm.example", "mx1.mail.ovh.net", "ovh"],
  ["orange.fr", "smtp-in.orange.fr", "orange"],
])("mail for %s at %s is run by %s", (domain, host, slug) => {
  expect(mailProviderOf([host], domain)).toBe(slug);
});

test("the most preferred known host decides", () => {
  const hosts = ["filter.firm.example", "eu-smtp-inbound-1.mimecast.com", "firm.mail.protection.outlook.com"];
  expect(mailProviderOf(hosts, "firm.example")).toBe("mimecast");
});

test('a self-hosted server is "other", and no mail host is ""', () => {
  expect(mailProviderOf(["mx.firm.example"], "firm.example")).toBe("other");
  expect(mailProviderOf(["static.1.2.3.4.clients.your-server.de"], "firm.example")).toBe("other");
  expect(mailProviderOf(["ec2-192-0-2-1.compute-1.amazonaws.com"], "firm.example")).toBe("other");
  expect(mailProviderOf(["notgoogle.com"], "firm.example")).toBe("other");
  expect(mailProviderOf([], "firm.example")).toBe("");
});

test.each([
  ["mx1.hoster.net", "mx2.hoster.net", true],
  ["mx.shop.co.uk", "backup.shop.co.uk", true],
  ["mx.shop.co.uk", "mx.other.co.uk", false],
  ["aspmx.l.google.com", "aspmx2.googlemail.com", true],
  ["mx.shop.example", "aspmx.l.google.com", false],
  ["mx01.kundenserver.de", "mx00.ionos.com", true],
  ["203.0.113.5", "203.0.113.5", false], // an address in place of a name says nothing of its operator
])("%s and %s are of one operator: %s", (host, other, isSame) => {
  expect(isSameOperator(host, other)).toBe(isSame);
  expect(isSameOperator(other, host)).toBe(isSame);
});
