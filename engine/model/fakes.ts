/**
 * Generated local parts that no person chose: random letters, ids, keyboard mash, and pronounceable fakes.
 *
 * Every kind says whether training may see it. The others measure how the model does on unseen kinds.
 */
import { dated, shaped } from "./people.ts";
import { type Random, shuffle } from "./random.ts";

export type FakeStock = {
  /** Names and words of the requested side: some fakes are made by breaking them. */
  names: readonly string[];
  markov: MarkovChain;
  wordMarkov: MarkovChain;
  handleMarkov: MarkovChain;
};
export type FakeKind = {
  /**
   * random: unpronounceable. pronounceable: letter sequences as in names. spliced: half of one name and half of
   * another, which is ambiguous; measured, without a required figure.
   */
  family: "random" | "pronounceable" | "spliced";
  trained: boolean;
  /** Share among the training's fakes. */
  share: number;
  make(random: Random, stock: FakeStock): string;
};

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const ALPHANUMERICS = `${LETTERS}0123456789`;
const CONSONANTS = "bcdfghjklmnpqrstvwxz";
/** Letters by their frequency in English. */
const TEXT_LETTERS =
  "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummmwwffggyyppbbvk";
const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890"];

/** Generators make ids of six characters and more; shorter ones are ambiguous. */
const lengthOf = (random: Random) => random.between(6, random.pick([8, 12, 16]));
const drawn = (from: string, length: number, random: Random) => {
  let text = "";
  for (let i = 0; i < length; i++) text += random.pick(from);
  return text;
};

export const FAKE_KINDS: Readonly<Record<string, FakeKind>> = {
  letters: random(true, 10, (r) => drawn(LETTERS, lengthOf(r), r)),
  "text letters": random(true, 8, (r) => drawn(TEXT_LETTERS, lengthOf(r), r)),
  alphanumerics: random(true, 8, (r) => drawn(ALPHANUMERICS, lengthOf(r), r)),
  hexadecimal: random(true, 4, (r) => drawn("0123456789abcdef", r.between(6, 32), r)),
  consonants: random(true, 3, (r) => drawn(CONSONANTS, r.between(5, 10), r)),
  "keyboard walk": random(true, 7, (r) => walk(r)),
  "home row": random(true, 4, (r) => drawn("asdfghjkl", r.between(5, 12), r)),
  "shuffled name": random(true, 12, (r, { names }) => shuffled(r, names)),
  repetition: random(true, 4, (r) => drawn(LETTERS, r.between(1, 3), r).repeat(6).slice(0, r.between(5, 12))),
  "letters and number": random(
    true,
    5,
    (r) => drawn(LETTERS, r.between(3, 7), r) + drawn("0123456789", r.between(2, 7), r),
  ),
  "random pair": random(
    true,
    6,
    (r) => drawn(LETTERS, r.between(4, 8), r) + r.pick([".", "_", "-"]) + drawn(LETTERS, r.between(4, 8), r),
  ),
  "initial and letters": random(true, 4, (r) =>
    shaped(drawn(LETTERS, r.between(4, 8), r), drawn(LETTERS, r.between(4, 9), r), r),
  ),
  "name and letters": random(
    true,
    4,
    (r, { names }) => r.pick(names).slice(0, 4) + drawn(ALPHANUMERICS, r.between(6, 12), r),
  ),

  "row run": random(false, 0, (r) => rowRun(r) + (r.chance(0.5) ? rowRun(r) : "")),
  "two hands": random(false, 0, (r) => {
    let text = "";
    for (let i = r.between(6, 14); i > 0; i--) text += r.pick(i % 2 === 0 ? "asdfqwerzxcv" : "jklhuiopnm");
    return text;
  }),
  "base 32": random(false, 0, (r) => drawn("abcdefghjkmnpqrstvwxyz23456789", r.between(7, 16), r)),
  "time and letters": random(
    false,
    0,
    (r) => drawn(LETTERS, r.between(2, 4), r) + (1_500_000_000 + r.below(300_000_000)).toString(36),
  ),
  "reversed shuffled halves": random(false, 0, (r, { names }) => {
    const letters = [...r.pick(names), ...r.pick(names)];
    const odd = letters.filter((_, i) => i % 2 === 1);
    const even = letters.filter((_, i) => i % 2 === 0);
    return [...odd.reverse(), ...even].join("");
  }),
  fist: random(false, 0, (r) => {
    const patch = r.pick(["asdf", "jkl", "sdfg", "hjkl", "dfgh", "qwer", "uiop", "fghj", "zxcv"]);
    return (
      drawn(patch, r.between(3, 6), r) +
      drawn(r.pick(["asdfjkl", patch, "fjdks", "ghty"]), r.between(3, 6), r)
    );
  }),

  "name chain": pronounceable(true, 9, (r, { markov }) => markov.word(r, 2)),
  "name chain, loose": pronounceable(true, 4, (r, { markov }) => markov.word(r, 1)),

  "word chain": pronounceable(true, 6, (r, { wordMarkov }) => wordMarkov.word(r, 2)),

  // A whole family that training never sees: built from syllables rather than learned from a list.
  "consonant and vowel": pronounceable(false, 0, (r) => syllables(r, ["CV"], r.between(3, 5))),
  "syllables with codas": pronounceable(false, 0, (r) =>
    syllables(r, ["CV", "CVN", "V", "CCV", "CVC"], r.between(3, 4)),
  ),
  phonemes: pronounceable(false, 0, (r) => phonemes(r, r.between(6, 11))),
  // The family is trained on, this list is not.
  "handle chain": pronounceable(false, 0, (r, { handleMarkov }) => handleMarkov.word(r, 2)),

  "spliced names": {
    ...pronounceable(false, 0, (r, { names }) => {
      const [one, other] = [r.pick(names), r.pick(names)];
      return one.slice(0, Math.ceil(one.length / 2)) + other.slice(Math.floor(other.length / 2));
    }),
    family: "spliced",
  },
};

function shuffled(random: Random, names: readonly string[]): string {
  let letters = random.pick(names);
  while (letters.length < 6 || (letters.length < 10 && random.chance(0.3))) letters += random.pick(names);
  return shuffle([...letters], random).join("");
}

type Make = FakeKind["make"];

function random(trained: boolean, share: number, make: Make): FakeKind {
  return { family: "random", trained, share, make };
}

/** Pronounceable fakes have the shapes and digits that people use, or those would identify them. */
function pronounceable(trained: boolean, share: number, make: Make): FakeKind {
  return {
    family: "pronounceable",
    trained,
    share,
    make: (r, stock) => {
      if (r.chance(0.5)) return dated(make(r, stock), r);
      return dated(shaped(make(r, stock), make(r, stock), r), r);
    },
  };
}

function walk(random: Random): string {
  let row = random.below(3);
  let column = random.below(ROWS[row]!.length);
  let text = "";
  for (let i = random.between(5, 12); i > 0; i--) {
    text += ROWS[row]![column]!;
    const dice = random.unit();
    if (dice < 0.7) column += random.chance(0.75) ? 1 : -1;
    else row += random.chance(0.5) ? 1 : -1;
    row = Math.min(Math.max(row, 0), 2);
    column = Math.min(Math.max(column, 0), ROWS[row]!.length - 1);
  }
  return text;
}

function rowRun(random: Random): string {
  const row = random.pick(ROWS.slice(0, 3));
  const length = random.between(4, Math.min(8, row.length));
  const from = random.below(row.length - length + 1);
  const run = row.slice(from, from + length);
  return random.chance(0.3) ? [...run].reverse().join("") : run;
}

function syllables(random: Random, forms: readonly string[], count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) {
    for (const sound of random.pick(forms)) {
      text += random.pick(sound === "V" ? "aeiou" : sound === "N" ? "nmrls" : "bcdfghjklmnprstvwyz");
    }
  }
  return text;
}

/** Like pronounceable password generators: elements of one or two letters, alternating vowels and consonants. */
function phonemes(random: Random, length: number): string {
  const vowels = "a e i o u ai ee ei ie oh oo ae ah".split(" ");
  const consonants = "b c ch d f g gh h j k l m n ng p ph qu r s sh t th v w x y z".split(" ");
  let text = "";
  let isVowel = random.chance(0.5);
  while (text.length < length) {
    text += random.pick(isVowel ? vowels : consonants);
    isVowel = isVowel ? random.chance(0.15) : true;
  }
  return text.slice(0, length);
}

/** Markov chain of letters after the one or two before, counted over a list. */
export class MarkovChain {
  readonly #following = new Map<string, string>();
  readonly #real: ReadonlySet<string>;

  constructor(words: readonly string[]) {
    this.#real = new Set(words);
    const counts = new Map<string, string[]>();
    for (const word of words) {
      const edged = `^^${word}$`;
      for (let i = 2; i < edged.length; i++) {
        for (const order of [1, 2]) {
          const context = edged.slice(i - order, i);
          const list = counts.get(context);
          if (list) list.push(edged[i]!);
          else counts.set(context, [edged[i]!]);
        }
      }
    }
    for (const [context, letters] of counts) this.#following.set(context, letters.join(""));
  }

  word(random: Random, order: 1 | 2): string {
    for (;;) {
      let text = "^^";
      while (!text.endsWith("$") && text.length < 14) {
        text += random.pick(this.#following.get(text.slice(-order))!);
      }
      const word = text.replace(/[$^]/g, "");
      if (word.length >= 6 && !this.#real.has(word)) return word;
    }
  }
}
