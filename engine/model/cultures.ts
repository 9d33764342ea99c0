/** Groups of cultures for reporting, so that no group is too small. */

export const LANGUAGE_GROUPS: Readonly<Record<string, readonly string[]>> = {
  English: ["en", "en_AU", "en_AU_ocker", "en_US_census"],
  "German and Dutch": ["de", "de_AT", "de_CH", "nl", "nl_BE", "af_ZA"],
  "Nordic and Baltic": ["da", "nb_NO", "sv", "lv"],
  "Finnish and Hungarian": ["fi", "hu"],
  French: ["fr", "fr_BE", "fr_CH"],
  "Spanish and Portuguese": ["es", "es_MX", "pt_BR", "pt_PT"],
  "Italian and Romanian": ["it", "ro", "ro_MD"],
  "Czech, Slovak, Polish": ["cs_CZ", "sk", "pl"],
  "South Slavic": ["hr", "sr_RS_latin", "sl_SI", "mk"],
  "Russian and Ukrainian": ["ru", "uk"],
  "Greek, Armenian, Georgian": ["el", "hy", "ka_GE"],
  "Turkic and Kurdish": ["tr", "az", "uz_UZ_latin", "ku_kmr_latin"],
  "Indian and Nepali": ["en_IN", "en_NP"],
  "Chinese and Korean": ["zh_CN", "zh_TW", "ko"],
  Japanese: ["ja_latin"],
  "Vietnamese and Indonesian": ["vi", "id_ID"],
  "West African": ["en_GH", "en_NG", "fr_SN", "yo_NG"],
  "South African": ["zu_ZA", "en_ZA"],
};

/** For real people, for whom only the domain's TLD is known. */
export const COUNTRY_GROUPS: Readonly<Record<string, readonly string[]>> = {
  "no country (.com, .org …)": ["com", "org", "net", "info", "name", "me", "io", "dev", "edu", "eu"],
  Germany: ["de", "at", "ch"],
  "France, Belgium": ["fr", "be"],
  "Italy, Spain, Portugal": ["it", "es", "pt", "br", "mx", "ar", "ro"],
  "Nordic and Baltic": ["se", "no", "dk", "fi", "ee", "lv", "lt", "is"],
  "Slavic, Hungarian, Greek": ["pl", "cz", "sk", "hu", "si", "hr", "rs", "bg", "ru", "ua", "by", "gr"],
  "Britain, Ireland, Commonwealth": ["uk", "ie", "au", "nz", "ca", "za", "us"],
  "East and South Asia": ["jp", "cn", "tw", "hk", "kr", "in", "id", "vn", "th", "sg", "my"],
};
