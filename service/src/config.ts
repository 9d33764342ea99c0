/** The service's settings, read once at start; everything below receives plain values. */
import { type Environment, settingsFrom } from "@mailvet/engine";

export type Config = { host: string; port: number };

export function readConfig(env: Environment): Config {
  const read = settingsFrom(env);
  const config = {
    host: read.text("HOST") ?? "127.0.0.1",
    port: read.integer("PORT", { fallback: 8080, min: 0, max: 65_535 }),
  };
  read.reportProblems();
  return config;
}
