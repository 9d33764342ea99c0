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
] as const)("%s is column %i", ([wanted, column]) => {
  expect(chooseColumn(found, wanted)).toBe(column);
});

test.for([
  ["WORK", found, 'people.csv has no column "WORK"; its columns: "name", "E-mail", "Work", "work"'],
  ["mail\u001b[2J", found, 'no column "mail�[2J"'],
  ["name", found, 'no cell of the column "name" looks like an email; those of "E-mail" do'],
  [undefined, { ...found, suggested: undefined }, "no cell of people.csv looks like an email"],
  [undefined, { ...found, list: "-", suggested: undefined }, "no cell of standard input looks like"],
  ["x", { ...found, columns: Array.from({ length: 200 }, (_, n) => `c${n}`) }, '"c18", "c19" and 180 more'],
] as const)("%s is refused with what there is", ([wanted, choice, why]) => {
  expect(() => chooseColumn(choice, wanted)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(why) }),
  );
});
