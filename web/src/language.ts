/**
 * Language of this page. Each language is a build of its own (language-plugin.ts), and the service sends the one that was
 * chosen here, or else the first in the browser's list. Choosing another one loads the page again.
 */
import type { Language } from "@mailvet/contract";

export const language = (globalThis.document?.documentElement.lang || "en") as Language;

/** The language with the reader's region, for numbers and dates: "de-AT", "en-GB". */
export const locale: string =
  globalThis.navigator?.languages?.find((tag) => tag.split("-", 1)[0] === language) ?? language;
