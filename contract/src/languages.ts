/** Languages of the web app and of `reason`, as in Accept-Language. The first is used when none fits. */
export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Cookie with the language that was chosen in the web app. */
export const LANGUAGE_COOKIE = "mailvet-language";
