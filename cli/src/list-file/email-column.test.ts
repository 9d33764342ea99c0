import { expect, test } from "vitest";
import { chooseColumn } from "./email-column.ts";

const found = {
  list: "/home/ann/people.csv",
  columns: ["name", "E-mail", "Work", "work"],
  emailCounts: [0, 9, 2, 1],
  suggested: 1,
};

test.for([
  [undefined, 1],
  ["E-mail", 1],
  [" e-MAIL ", 1],
  ["work", 3],
  ["Work", 2],
] as const)("%s selects column %i", ([wanted, column]) => {
  expect(chooseColumn(found, wanted)).toBe(column);
});

test.for([
  ["WORK", found, 'people.csv has no column "WORK"; columns: "name", "E-mail", "Work", "work"'],
  ["mail\u001b[2J", found, 'no column "mail�[2J"'],
  ["name", found, 'column "name" contains no emails; column "E-mail" does'],
  [undefined, { ...found, suggested: undefined }, "no column of people.csv contains emails"],
  [undefined, { ...found, list: "-", suggested: undefined }, "no column of standard input contains emails"],
  ["x", { ...found, columns: Array.from({ length: 200 }, (_, n) => `c${n}`) }, '"c18", "c19" and 180 more'],
] as const)("%s is rejected with the available columns", ([wanted, choice, why]) => {
  expect(() => chooseColumn(choice, wanted)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(why) }),
  );
});
