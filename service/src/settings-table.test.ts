import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { SETTING_SECTIONS, SETTINGS, type Setting } from "./settings-table.ts";

const MANUAL = new URL("../../docs/operating.md", import.meta.url);
const EXAMPLE = new URL("../../.env.example", import.meta.url);
const WIDTH = 120;

test("the table has every setting that is read, and no other", () => {
  const asked = new Set<string>();
  const env = new Proxy({} as Record<string, string>, {
    get: (_, name) => {
      asked.add(String(name));
      return undefined;
    },
  });
  readConfig(env, "/");
  const plain = [...asked].filter((name) => !name.startsWith("MAILVET_"));
  const files = Object.keys(SETTINGS).flatMap((name) => (SETTINGS[name]!.isSecret ? [`${name}_FILE`] : []));
  expect(plain.sort()).toEqual([...Object.keys(SETTINGS), ...files].sort());
});

test("the values in the table are those of an empty environment", () => {
  const fixed = Object.entries(SETTINGS).flatMap(([name, { fallback }]) =>
    fallback === undefined || name === "MAIL_SENDER" ? [] : [[name, fallback]],
  );
  const { operator, ...config } = readConfig(Object.fromEntries(fixed), "/");
  const { operator: expected, ...others } = readConfig({}, "/");
  expect(config).toEqual(others);
  expect(operator).toEqual(expected);
});

/** `npx vitest run -u` writes the files. */
test("docs/operating.md has the table", async () => {
  const manual = readFileSync(MANUAL, "utf8");
  const heading = manual.indexOf("## Settings\n");
  const start = manual.indexOf("\n| setting |", heading) + 1;
  const end = manual.indexOf("\n\n", start) + 1;
  expect(heading).toBeGreaterThan(0);
  await expect(manual.slice(0, start) + settingsTable() + manual.slice(end)).toMatchFileSnapshot(
    MANUAL.pathname,
  );
});

test(".env.example has every setting", async () => {
  await expect(envExample()).toMatchFileSnapshot(EXAMPLE.pathname);
});

function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([name, { meaning, fallback, unset, isSecret }]) => {
    const value = fallback === undefined ? (unset ?? "") : `\`${fallback}\``;
    return `| \`${name}\` | ${value} | ${isSecret ? `\`${name}_FILE\`` : ""} | ${meaning} |\n`;
  });
  return `| setting | default | from a file | meaning |\n|---|---|---|---|\n${rows.join("")}`;
}

function envExample(): string {
  const sections = Object.entries(SETTING_SECTIONS).map(([title, settings]) =>
    [`# --- ${title} `.padEnd(100, "-"), ...Object.entries(settings).map(exampleOf)].join("\n"),
  );
  return `${wrapped(HEAD)}\n\n${sections.join("\n\n")}\n`;
}

const HEAD =
  "Every setting. All are optional; the value shown is the default, or an example where the text names the default. " +
  "The service reads the file .env of its working directory (cp .env.example .env); environment variables take precedence. " +
  "The mailvet command reads the environment only: set -a; . ./.env; set +a";

function exampleOf([name, { meaning, fallback, unset, example, isSecret }]: [string, Setting]): string {
  const isDefault = fallback !== undefined;
  const notes = [
    ...(isDefault ? [] : [`Default: ${unset ?? "none"}.`]),
    ...(isSecret ? [`Or ${name}_FILE.`] : []),
  ];
  return `${wrapped([meaning, ...notes].join(" "))}\n#${name}=${isDefault ? fallback : (example ?? "")}`;
}

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`# ${word}`);
  }
  return lines.join("\n");
}
