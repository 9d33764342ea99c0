import { expect, test } from "vitest";
import { findOutcomeColumns, readMoment } from "./outcome-columns.ts";

/** The first line has the names. */
const found = (text: string) => {
  const [names = [], ...rows] = text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(","));
  const { email, outcome, details, moment } = findOutcomeColumns(names, rows);
  const nameOf = (column: number | undefined) => (column === undefined ? undefined : names[column]);
  return {
    email: nameOf(email),
    outcome: nameOf(outcome),
    details: details.map(nameOf),
    moment: nameOf(moment),
  };
};

test.each([
  ["from", "to"],
  ["sender_email", "recipient"],
  ["source", "destination"],
  ["MessageID", "Recipient"],
])("of the columns %s and %s the second is the recipient", (sender, recipient) => {
  const { email } = found(`
    ${sender},event,${recipient}
    a1@us.com,delivered,ann@shop.io
    a2@us.com,bounced,bo@shop.io`);
  expect(email).toBe(recipient);
});

test("without column names, the same email in every row is the sender", () => {
  const { email } = found(`
    column_1,column_2,column_3
    news@us.com,bounced,ann@shop.io
    news@us.com,delivered,bo@shop.io`);
  expect(email).toBe("column_3");
});

test("our own verdicts are no outcomes, also beside some", () => {
  const { outcome, moment } = found(`
    email,mailvet_recommendation,mailvet_checked_at
    ann@shop.io,send,2026-11-01T10:00:00Z
    bo@shop.io,do_not_send,2026-11-01T10:00:00Z`);
  expect([outcome, moment]).toEqual([undefined, undefined]);
  const beside = found(`
    email,campaign,mailvet_recommendation,mailvet_checked_at
    ann@shop.io,bounced,send,2026-11-01T10:00:00Z
    bo@shop.io,,send,2026-11-01T10:00:00Z
    cy@shop.io,bounced,retry,2026-11-01T10:00:00Z`);
  expect(beside).toMatchObject({ outcome: "campaign", details: [], moment: undefined });
});

test("a single column of emails is the recipient, whatever its name and content", () => {
  expect(found("sender,event\nann@shop.io,sent\nann@shop.io,bounced").email).toBe("sender");
});

test("a column of ids is not a time", () => {
  const { moment } = found(`
    contact_id,email,event
    1000000001,ann@shop.io,bounced
    1000000002,bo@shop.io,bounced`);
  expect(moment).toBeUndefined();
  expect(found("ts,email,event\n1763200000,ann@shop.io,bounced").moment).toBe("ts");
});

test("the creation time of a contact is not the time of the event", () => {
  const { moment } = found(`
    created_at,email,event,date
    2019-05-01T10:00:00Z,ann@shop.io,bounced,2026-11-01
    2020-05-01T10:00:00Z,bo@shop.io,bounced,2026-11-02`);
  expect(moment).toBe("date");
  const named = found(`
    event_time,email,event,exported_at
    2026-11-01,ann@shop.io,bounced,2026-11-15
    2026-11-02,bo@shop.io,bounced,2026-11-15`);
  expect(named.moment).toBe("event_time");
});

test("verdicts of a checker are not outcomes", () => {
  const { outcome } = found(`
    email,mailvet_status,mailvet_sub_status
    ann@shop.io,invalid,mailbox_not_found
    bo@shop.io,invalid,mailbox_not_found`);
  expect(outcome).toBeUndefined();
});

test.each([
  ["2026-11-14T10:00:00Z", "2026-11-14T10:00:00.000Z"],
  ["2026-11-14 10:00:00 +0100", "2026-11-14T09:00:00.000Z"],
  ["2026-11-14", "2026-11-14T23:59:59.000Z"],
  ["1763200000", "2025-11-15T09:46:40.000Z"],
  ["yesterday", undefined],
  ["2026-13-41", undefined],
  ["9".repeat(65_000), undefined],
])("the time %s is read as %s", (text, expected) => {
  const atMs = readMoment(text);
  expect(atMs === undefined ? undefined : new Date(atMs).toISOString()).toBe(expected);
});
