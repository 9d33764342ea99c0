/**
 * Romanises names as their owners write them in Latin letters: Иванов is ivanov, Παπαδόπουλος papadopoulos, 김서연
 * kimseoyeon.
 */
import { createRequire } from "node:module";
import { packageFolder } from "./packages.ts";

/** Undefined for scripts without a rule: unwritten vowels cannot be guessed. */
export function romanize(name: string): string | undefined {
  if (/^[\p{Script=Latin}\p{M}'’ʻʼ .-]+$/u.test(name)) return name;
  if (/^[\p{Script=Hangul}]+$/u.test(name)) return Array.from(name, fromHangul).join("");
  if (/^[\p{Script=Han}]+$/u.test(name)) return fromHan(name);
  let latin = "";
  for (const letter of name.toLowerCase().normalize("NFC")) {
    const mapped = LETTERS.get(letter) ?? LETTERS.get(letter.normalize("NFD")[0]!);
    if (mapped === undefined) return undefined;
    latin += mapped;
  }
  return /\p{Script=Greek}/u.test(name) ? latin.replace(/oy/g, "ou") : latin;
}

const LETTERS = new Map(
  [
    "а:a б:b в:v г:g д:d е:e ё:yo ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh ц:ts ч:ch ш:sh щ:shch",
    "ъ: ы:y ь: э:e ю:yu я:ya і:i ї:yi є:ye ґ:g ѓ:gj ѕ:dz ј:j љ:lj њ:nj ќ:kj џ:dz ћ:c ђ:dj",
    "α:a β:v γ:g δ:d ε:e ζ:z η:i θ:th ι:i κ:k λ:l μ:m ν:n ξ:x ο:o π:p ρ:r σ:s ς:s τ:t υ:y φ:f χ:ch ψ:ps ω:o",
    "ա:a բ:b գ:g դ:d ե:e զ:z է:e ը:y թ:t ժ:zh ի:i լ:l խ:kh ծ:ts կ:k հ:h ձ:dz ղ:gh ճ:ch մ:m յ:y ն:n շ:sh ո:o չ:ch պ:p ջ:j",
    "ռ:r ս:s վ:v տ:t ր:r ց:ts ւ:v փ:p ք:k և:ev օ:o ֆ:f",
    "ა:a ბ:b გ:g დ:d ე:e ვ:v ზ:z თ:t ი:i კ:k ლ:l მ:m ნ:n ო:o პ:p ჟ:zh რ:r ს:s ტ:t უ:u ფ:p ქ:k ღ:gh ყ:k შ:sh ჩ:ch ც:ts",
    "ძ:dz წ:ts ჭ:ch ხ:kh ჯ:j ჰ:h",
  ]
    .join(" ")
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** Revised Romanization, without the changes between syllables, which names mostly leave out. */
function fromHangul(syllable: string): string {
  const index = syllable.charCodeAt(0) - 0xac00;
  return INITIALS[Math.floor(index / 588)]! + MEDIALS[Math.floor((index % 588) / 28)]! + FINALS[index % 28]!;
}

const INITIALS = "g kk n d tt r m b pp s ss  j jj ch k t p h".split(" ");
const MEDIALS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split(" ");
const FINALS = " k k k n n n t l k m p l l p l m p p t t ng t t k t p t".split(" ");

type Pinyin = { pinyin(text: string, options: { toneType: "none"; type: "array"; v: true }): string[] };
let han: Pinyin | undefined;

function fromHan(name: string): string {
  han ??= createRequire(import.meta.url)(`${packageFolder("pinyin-pro")}/dist/index.js`) as Pinyin;
  return han.pinyin(name, { toneType: "none", type: "array", v: true }).join("");
}
