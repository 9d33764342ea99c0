/** A provider as people call it. */

const SPELLINGS: Readonly<Record<string, string>> = {
  "": "none known",
  other: "none of the large ones",
  qq: "QQ",
  gmx: "GMX",
  icloud: "iCloud",
  mail_ru: "Mail.ru",
};

export function providerName(slug: string): string {
  return (
    SPELLINGS[slug] ??
    slug
      .split("_")
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(" ")
  );
}
