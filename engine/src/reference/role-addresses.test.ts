import { expect, test } from "vitest";
import { roleOf } from "./role-addresses.ts";

test("every mailbox name of RFC 2142 is a role", () => {
  const names = `info marketing sales support abuse noc security postmaster hostmaster usenet news webmaster www uucp ftp`;
  expect(names.split(" ").filter((name) => roleOf(name) === undefined)).toEqual([]);
});

test.each([
  ["postmaster", "protocol"],
  ["MAILER-DAEMON", "protocol"],
  ["no-reply", "no_reply"],
  ["no_reply", "no_reply"],
  ["NoReply", "no_reply"],
  ["do.not.reply", "no_reply"],
  ["nicht-antworten", "no_reply"],
  ["jobs-noreply", "no_reply"],
  ["no-reply-invoices", "no_reply"],
  ["newsletter", "list"],
  ["owner-gardeners", "list"],
  ["gardeners-request", "list"],
  ["gardeners-bounces", "list"],
  ["human.resources", "department"],
  ["hr", "department"],
  ["info+shop", "department"],
  ["info2", "department"],
  ["sales-01", "department"],
  ["dpo", "department"],
] as const)("%s is a %s address", (local, tier) => {
  expect(roleOf(local)).toBe(tier);
});

test("departments are known in several languages", () => {
  const offices = `buchhaltung datenschutz comptabilite ressources-humaines atencion-al-cliente contabilidad segreteria
    amministrazione atendimento financeiro klantenservice boekhouding ksiegowosc księgowość biuro rodo podatelna ucetni
    kundtjänst kundeservice personvern asiakaspalvelu muhasebe iletişim buhgalteria бухгалтерия приёмная бухгалтерія
    jinji お問い合わせ kefu 客服 고객센터`;
  expect(offices.split(/\s+/).filter((office) => roleOf(office) !== "department")).toEqual([]);
});

test("personal names and initials are not roles", () => {
  const people = `ann.lee dean mark grant bill rose chase art jo ab mk ir lon insa hongbo bron will.power sales.john
    john.sales info2024 sales1985 press123456 infoanna itamar hrvoje priya prince helpful +info list.en owner request
    -request owner- noreplyanna dev.patel dev charity`;
  expect(people.split(/\s+/).filter((person) => roleOf(person) !== undefined)).toEqual([]);
  expect(roleOf("")).toBeUndefined();
});

test("an overlong local part is rejected at once", () => {
  expect(roleOf("info".repeat(100_000))).toBeUndefined();
});
