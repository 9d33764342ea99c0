import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getPublicSuffix } from "tldts";
import { expect, onTestFinished, test } from "vitest";
import { loadDisposables, packagedDomains } from "./disposable.ts";
import { domainListBytes, isListableName } from "./domain-list.ts";
import { describeList, MANIFEST_FILE, readListManifest } from "./list-manifest.ts";
import { parseLocalLists } from "./operator-lists.ts";
import { isProtectedDomain } from "./protected-domains.ts";

const packaged = loadDisposables();

test("well-known disposable services are known, with their subdomains", () => {
  const names = `mailinator.com guerrillamail.com yopmail.com temp-mail.org 10minutemail.com trashmail.com sharklasers.com
    maildrop.cc dispostable.com mailnesia.com getnada.com moakt.com discard.email fakeinbox.com throwawaymail.com`;
  for (const name of names.split(/\s+/)) {
    expect(packaged.isDisposableDomain(name), name).toBe(true);
    expect(packaged.isDisposableDomain(`a.b.${name}`), name).toBe(true);
  }
});

test("providers, relays, companies and universities are never disposable", () => {
  const names = `gmail.com outlook.com hotmail.fr yahoo.co.jp o2.pl wp.pl interia.pl seznam.cz libero.it laposte.net
    docomo.ne.jp naver.com uol.com.br t-online.de mail.com consultant.com fastmail.fm gmx.net 163.com 139.com sohu.com
    freemail.hu hush.com safe-mail.net tutanota.com cock.li duck.com mozmail.com privaterelay.appleid.com
    simplelogin.com slmail.me passmail.net anonaddy.me joe.anonaddy.com addy.io 33mail.com spamgourmet.com
    apple.com siemens.de asics.com swatch.com forwardemail.net improvmx.com afternic.com nus.edu.sg harvard.edu
    ox.ac.uk ethz.ch tulsa.gov army.mil test.de example.com`;
  for (const name of names.split(/\s+/)) expect(packaged.isDisposableDomain(name), name).toBe(false);
});

test("the packaged list is sorted and contains no protected domain or public suffix", () => {
  const names = packagedDomains().names();
  expect(names.length).toBeGreaterThan(100_000);
  expect(names.filter((name) => !isListableName(name))).toEqual([]);
  expect(names.filter((name) => getPublicSuffix(name, { allowPrivateDomains: true }) === name)).toEqual([]);
  expect(names.filter(isProtectedDomain)).toEqual([]);
  const manifest = readListManifest(new URL("../../data/", import.meta.url));
  expect(manifest?.sha256).toBe(describeList(domainListBytes(names)).sha256);
  expect(packaged.size).toBe(manifest?.names);
});

test("unlisted domains, suffixes and empty names are not disposable", () => {
  for (const name of ["mailvet-unlisted.example", "com", "co.uk", "", ".", "eu.org", "gmail.com.example"]) {
    expect(packaged.isDisposableDomain(name), name).toBe(false);
  }
});

test("a mail host used only by disposable services identifies a new domain", () => {
  for (const host of [
    "in.mail.tm",
    "MX2.den.yt.",
    "mail2.mailinator.com",
    "recv7.erinn.biz",
    "mxf.tempamail.com",
  ]) {
    expect(packaged.isDisposableMailHost(host), host).toBe(true);
  }
  const shared = `gmail-smtp-in.l.google.com aspmx.l.google.com acme-com.mail.protection.outlook.com
    route1.mx.cloudflare.net mx1.improvmx.com mx1.forwardemail.net mx1.privateemail.com mx1-hosting.jellyfish.systems
    mx.zoho.com mx.yandex.net mx1.simplelogin.co mail.anonaddy.me in1-smtp.messagingengine.com mx.stackmail.com`;
  for (const host of shared.split(/\s+/)) expect(packaged.isDisposableMailHost(host), host).toBe(false);
});

test("the mail host does not override a protected or allowed domain", () => {
  const local = parseLocalLists("allow ours.example");
  const disposables = loadDisposables({ local });
  expect(disposables.isDisposableRoute("new.example", ["mx.other.example", "in.mail.tm"])).toBe(true);
  expect(disposables.isDisposableRoute("ours.example", ["in.mail.tm"])).toBe(false);
  expect(disposables.isDisposableRoute("gmail.com", ["in.mail.tm"])).toBe(false);
});

test("the operator's deny adds to the list, the operator's allow overrides everything", () => {
  const local = parseLocalLists(
    "deny noisy.example\ndeny gmail.com\nallow mailinator.com\nallow good.noisy.example",
  );
  const disposables = loadDisposables({ local });

  expect(disposables.isDisposableDomain("noisy.example")).toBe(true);
  expect(disposables.isDisposableDomain("sub.noisy.example")).toBe(true);
  expect(disposables.isDisposableDomain("good.noisy.example")).toBe(false);
  expect(disposables.isDisposableDomain("gmail.com")).toBe(true);
  expect(disposables.isDisposableDomain("mailinator.com")).toBe(false);
  expect(disposables.isDisposableMailHost("mail.mailinator.com")).toBe(false);
});

test("the operator's file is read at once and its errors are reported", () => {
  const directory = temporaryDirectory();
  const localFile = join(directory, "local.txt");
  writeFileSync(localFile, "deny noisy.example\nrefuse x.example\n");

  const disposables = loadDisposables({ localFile });
  expect(disposables.isDisposableDomain("noisy.example")).toBe(true);
  expect(disposables.localProblems.map(({ line }) => line)).toEqual([2]);
  expect(() => loadDisposables({ localFile: join(directory, "absent.txt") })).toThrow(/absent\.txt/);
});

test("a refreshed list replaces the packaged one", () => {
  const directory = temporaryDirectory();
  writeRefreshed(directory, ["fresh.example", "gmail.com"], "2099-01-01T00:00:00.000Z");

  const disposables = loadDisposables({ directory });
  expect(disposables.isDisposableDomain("fresh.example")).toBe(true);
  expect(disposables.isDisposableDomain("mailinator.com")).toBe(false);
  expect(disposables.isDisposableDomain("gmail.com")).toBe(false); // protected even from our own list
  expect(disposables.size).toBe(2);
  expect(disposables.origin).toEqual({ list: "refreshed", madeAt: "2099-01-01T00:00:00.000Z" });
});

test.each([
  ["older than the release", "2020-01-01T00:00:00.000Z", undefined, "the packaged list is newer"],
  ["changed by hand", "2099-01-01T00:00:00.000Z", "zzz.example\naaa.example\n", "was changed"],
])("a refreshed list that is %s is not used, with a reason", (_, madeAt, tampered, reason) => {
  const directory = temporaryDirectory();
  const file = writeRefreshed(directory, ["fresh.example"], madeAt);
  if (tampered !== undefined) writeFileSync(join(directory, file), tampered);

  const disposables = loadDisposables({ directory });
  expect(disposables.isDisposableDomain("mailinator.com")).toBe(true);
  expect(disposables.isDisposableDomain("fresh.example")).toBe(false);
  expect(disposables.origin.list).toBe("packaged");
  expect(disposables.origin.passedOver).toContain(reason);
});

test("a manifest that points outside its directory, or at nothing, is ignored", () => {
  const directory = temporaryDirectory();
  const manifest = { madeAt: "2099-01-01T00:00:00.000Z", names: 1, sha256: "00", sources: [] };
  writeFileSync(join(directory, MANIFEST_FILE), JSON.stringify({ ...manifest, file: "../../etc/hosts" }));
  expect(loadDisposables({ directory }).origin.list).toBe("packaged");

  const file = "disposable-domains.0123456789abcdef.txt";
  writeFileSync(join(directory, MANIFEST_FILE), JSON.stringify({ ...manifest, file }));
  expect(loadDisposables({ directory }).origin.passedOver).toContain("cannot be read");
});

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "mailvet-lists-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function writeRefreshed(directory: string, names: string[], madeAt: string): string {
  const bytes = domainListBytes(names);
  const manifest = { madeAt, ...describeList(bytes), names: names.length, sources: [] };
  writeFileSync(join(directory, manifest.file), bytes);
  writeFileSync(join(directory, MANIFEST_FILE), JSON.stringify(manifest));
  return manifest.file;
}
