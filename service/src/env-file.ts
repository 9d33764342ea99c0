/** Loads a file of settings into the environment. What the environment sets already wins, under any of its names. */
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { ALIAS_PREFIX, FILE_SUFFIX, isServiceLink } from "@mailvet/engine";
import { SECRET_SETTINGS } from "./settings-table.ts";

export function loadEnvFile(path: string, env: Record<string, string | undefined>): void {
  if (!existsSync(path)) return;
  const given = parseEnv(readFileSync(path, "utf8")) as Record<string, string>;
  const set = Object.keys(env).filter((variable) => !isServiceLink(variable, env[variable] ?? ""));
  const settings = new Set(set.map(settingOf));
  for (const [variable, value] of Object.entries(given))
    if (!settings.has(settingOf(variable))) env[variable] = value;
}

/** The setting that a variable gives: MAILVET_DATABASE_URL_FILE gives DATABASE_URL. */
function settingOf(variable: string): string {
  const name = variable.startsWith(ALIAS_PREFIX) ? variable.slice(ALIAS_PREFIX.length) : variable;
  const secret = name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : name;
  return SECRET_SETTINGS.has(secret) ? secret : name;
}
