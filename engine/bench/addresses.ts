/** Generated addresses for benchmarks: a mixture like a customer's list, and pathological input. */

/** The same sequence in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const FIRST =
  "anna ben clara david elif farid grace hiro ines jonas kofi lena maria nuno olga pavel quinn rosa sven tara".split(
    " ",
  );
const LAST =
  "adler bauer costa diaz evans fischer garcia haas ivanov jensen kim lopez meyer novak okafor park rossi silva".split(
    " ",
  );
const LARGE =
  "gmail.com yahoo.com hotmail.com outlook.com icloud.com gmx.de web.de orange.fr libero.it mail.ru qq.com".split(
    " ",
  );
const TYPO_DOMAINS = "gmial.com gmail.con hotmial.com yaho.com outlok.com icloud.co gmx.ed yahoo.cm".split(
  " ",
);
const DISPOSABLE = "mailinator.com guerrillamail.com yopmail.com 10minutemail.com trashmail.com".split(" ");
const MALFORMED = [
  "ann",
  "ann@",
  "@example.com",
  "a b@example.com",
  "ann@example",
  "ann..lee@example.com",
  "ann@exam_ple.com",
];
const INTERNATIONAL = [
  "ann@bücher.example",
  "用户@example.cn",
  "ann@xn--bcher-kva.example",
  "josé@correo.es",
];

export function mixedAddresses(count: number): string[] {
  const random = randomNumbers(20_26);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const person = () =>
    `${pick(FIRST)}${pick([".", "_", "", "-"])}${pick(LAST)}${random() < 0.3 ? Math.floor(random() * 100) : ""}`;
  const company = () =>
    `${pick(LAST)}-${pick(FIRST)}${Math.floor(random() * 10)}.${pick(["com", "de", "co.uk", "io", "fr"])}`;
  return Array.from({ length: count }, () => {
    const dice = random();
    if (dice < 0.45) return `${person()}@${pick(LARGE)}`;
    if (dice < 0.8) return `${person()}@${company()}`;
    if (dice < 0.85) return `${pick(["info", "sales", "no-reply"])}@${company()}`;
    if (dice < 0.9) return `${person()}@${pick(TYPO_DOMAINS)}`;
    if (dice < 0.94) return `${person()}@${pick(DISPOSABLE)}`;
    if (dice < 0.98) return pick(MALFORMED);
    return pick(INTERNATIONAL);
  });
}

export const hostileShapes: readonly (readonly [name: string, make: (length: number) => string])[] = [
  ["letters", (n) => "a".repeat(n)],
  ["letters, then @", (n) => `${"a".repeat(n)}@example.com`],
  ["dots", (n) => ".".repeat(n)],
  ["dotted letters", (n) => "a.".repeat(n / 2)],
  ["at signs", (n) => "@".repeat(n)],
  ["quotes", (n) => '"'.repeat(n)],
  ["backslashes in quotes", (n) => `"${"\\".repeat(n)}`],
  ["parentheses", (n) => "(".repeat(n)],
  ["comments", (n) => "(a)".repeat(n / 3)],
  ["blanks", (n) => " ".repeat(n)],
  ["blanks around", (n) => `${" ".repeat(n / 2)}a${" ".repeat(n / 2)}`],
  ["line breaks", (n) => "\r\n".repeat(n / 2)],
  ["angle brackets", (n) => "<".repeat(n)],
  ["many <a@b.cd>", (n) => "<a@b.cd>".repeat(n / 8)],
  ["a@ and labels", (n) => `a@${"b.".repeat(n / 2)}com`],
  ["a@ and hyphens", (n) => `a@${"-".repeat(n)}.com`],
  ["a@ and double dots", (n) => `a@b${"..".repeat(n / 2)}com`],
  ["a@ and trailing dots", (n) => `a@b.com${".".repeat(n)}`],
  ["accents", (n) => "é".repeat(n)],
  ["combining marks", (n) => `a${"\u0301".repeat(n)}@example.com`],
  ["joiners in the domain", (n) => `a@${"\u200d".repeat(n)}.com`],
  ["emoji", (n) => "😀".repeat(n / 2)],
  ["lone surrogates", (n) => "\ud800".repeat(n)],
  ["xn-- labels", (n) => `a@${"xn--a.".repeat(n / 6)}com`],
  ["mailto:", (n) => "mailto:".repeat(n / 7)],
  ["commas", (n) => "a@b.cd,".repeat(n / 7)],
];
