/**
 * Language of this page. Each language is a build of its own (language-plugin.ts), and the service sends the one that was
 * chosen here, or else the first in the browser's list. Choosing another one loads the page again.
 */
import { LANGUAGE_COOKIE, LANGUAGES, type Language } from "@mailvet/contract/words";

export const language = (globalThis.document?.documentElement.lang || "en") as Language;

/** The language with the reader's region, for numbers and dates: "de-AT", "en-GB". */
export const locale: string =
  globalThis.navigator?.languages?.find((tag) => tag.split("-", 1)[0] === language) ?? language;

/** The language that was chosen in this browser; undefined: that of the browser. */
export function chosenLanguage(): Language | undefined {
  return LANGUAGES.find((known) => document.cookie.split("; ").includes(`${LANGUAGE_COOKIE}=${known}`));
}

export function chooseLanguage(to: Language | undefined): void {
  const maxAge = to === undefined ? 0 : YEAR_SECONDS;
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari have had no Cookie Store API for long
  document.cookie = `${LANGUAGE_COOKIE}=${to ?? ""}; Path=/; Max-Age=${maxAge}; SameSite=Lax`;
  window.location.reload();
}

const YEAR_SECONDS = 31_536_000;
