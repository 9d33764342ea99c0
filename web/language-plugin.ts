/**
 * Vite plugin: builds the web app once per language into one folder. In the build of a language other than English,
 * `messages.ts` is `messages.de.ts` beside it, and the page is `index.de.html`. So a page has the texts of one language only,
 * fetches nothing more for them, and never shows another one first. Why: docs/decisions/0027-one-build-per-language.md.
 */
import type { Language } from "@mailvet/contract/words";
import type { EnvironmentOptions, Plugin } from "vite";

/** Texts of index.html. */
const PAGE_TEXTS: Record<Language, Readonly<Record<string, string>>> = {
  en: {
    DESCRIPTION:
      "Mailvet checks whether a mailbox exists without sending an email: one address, a whole list, or by API.",
    NO_SCRIPT: "The web app requires JavaScript. The API and the command line do not.",
  },
  de: {
    DESCRIPTION:
      "Mailvet prüft, ob ein Postfach existiert, ohne eine E-Mail zu senden: eine Adresse, eine ganze Liste oder per API.",
    NO_SCRIPT: "Die Web-App benötigt JavaScript. Die API und die Kommandozeile nicht.",
  },
};

const LANGUAGES = Object.keys(PAGE_TEXTS) as Language[];

/** English is built first, into an empty folder and with the files that have no language. */
const FIRST = "client";

/** `client` is what Vite has for the first environment only by default. */
export function languageEnvironments(client: EnvironmentOptions): Record<string, EnvironmentOptions> {
  const others = LANGUAGES.slice(1).map((language): [string, EnvironmentOptions] => [
    language,
    { ...client, consumer: "client", build: { emptyOutDir: false, copyPublicDir: false } },
  ]);
  return { [FIRST]: client, ...Object.fromEntries(others) };
}

export function languagePlugin(): Plugin {
  return {
    name: "mailvet-language",
    enforce: "pre",
    config: () => ({
      builder: {
        async buildApp(builder) {
          for (const environment of Object.values(builder.environments))
            if (environment.config.consumer === "client") await builder.build(environment);
        },
      },
    }),
    resolveId(source, importer, options) {
      const language = languageOf(this.environment);
      const isCatalogue = language !== "en" && importer !== undefined && CATALOGUE.test(source);
      if (!isCatalogue) return undefined;
      return this.resolve(source.replace(CATALOGUE, `messages.${language}.$1`), importer, {
        ...options,
        skipSelf: true,
      });
    },
    transformIndexHtml: {
      order: "pre",
      handler(html) {
        const language = languageOf((this as unknown as { environment: { name: string } }).environment);
        return html
          .replace('lang="en"', `lang="${language}"`)
          .replace(/__(DESCRIPTION|NO_SCRIPT)__/g, (_, name) => PAGE_TEXTS[language][name]!);
      },
    },
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const language = languageOf(this.environment);
        const page = bundle["index.html"];
        if (page && language !== "en") page.fileName = `index.${language}.html`;
      },
    },
  };
}

const CATALOGUE = /messages\.(tsx?)$/;

/** `MAILVET_LANGUAGE` is for `npm run dev -w web`. */
function languageOf(environment: { name: string } | undefined): Language {
  const asked = !environment || environment.name === FIRST ? process.env.MAILVET_LANGUAGE : environment.name;
  return LANGUAGES.find((language) => language === asked) ?? "en";
}
