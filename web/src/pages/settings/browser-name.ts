/** Short browser name from a user agent string: "Firefox on Linux". */
import { messages } from "./messages.tsx";

export function browserName(userAgent: string): string {
  const browser = firstMatch(BROWSERS, userAgent);
  const system = firstMatch(SYSTEMS, userAgent);
  if (browser && system) return messages.browser.on(browser, system);
  return browser ?? system ?? (userAgent.trim() === "" ? messages.browser.unknown : userAgent.slice(0, 60));
}

/** Order matters: most user agents also contain names further down. */
const BROWSERS = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Headless)?(Chrome|Chromium|CriOS)\//],
  ["Safari", /\bSafari\//],
  ["curl", /^curl\//],
] as const;

const SYSTEMS = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
] as const;

function firstMatch(names: readonly (readonly [string, RegExp])[], userAgent: string): string | undefined {
  return names.find(([, pattern]) => pattern.test(userAgent))?.[0];
}
