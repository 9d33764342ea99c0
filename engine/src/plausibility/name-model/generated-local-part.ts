/**
 * Recognises local parts of a known generated form: UUIDs, digests, keyboard rows, and envelope sender schemes.
 *
 * A pattern is certain, so the model is not used for them.
 */

export type GeneratedForm = "uuid" | "digest" | "number" | "envelope" | "row_run";

/** Undefined for other local parts. Takes the local part as typed. */
export function generatedFormOf(local: string): GeneratedForm | undefined {
  if (ROW_RUN.test(local)) return "row_run";
  if (!HAS_DIGIT_OR_EQUALS.test(local)) return undefined;
  // No form is longer, except envelope schemes, which show in their first characters.
  const text = local.length > MAX_CHARS ? local.slice(0, MAX_CHARS) : local;
  for (const [form, pattern] of PATTERNS) if (pattern.test(text)) return form;
  return undefined;
}

/**
 * Four or more letters of a keyboard row, from either end, and perhaps a number: asdf, qwerty123. Other parts of a
 * row may be words.
 */
const ROW_RUN =
  /^(?:qwer(?:t(?:y(?:u(?:io?p?)?)?)?)?|asdf(?:g(?:h(?:jk?l?)?)?)?|zxcv(?:bn?m?)?|poiu(?:y(?:t(?:re?w?q?)?)?)?|lkjh(?:g(?:f(?:ds?a?)?)?)?|mnbv(?:cx?z?)?)\d{0,6}$/i;

const MAX_CHARS = 128;
/** Every form has a digit or an equals sign near the start; most names have neither. */
const HAS_DIGIT_OR_EQUALS = /^[^0-9=]{0,64}[0-9=]/;

const PATTERNS: readonly (readonly [GeneratedForm, RegExp])[] = [
  ["uuid", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  // Half an MD5 up to a SHA-256. Must contain digits: a to f spell words.
  ["digest", /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{16,64}$/i],
  ["number", /^[0-9]{4,64}$/], // telephone and customer numbers: chosen or assigned, which cannot be told
  ["envelope", /^(?:srs[01][=+-]|prvs=|btv1==|msprvs1=|bounces?[+-].*=)/i],
];
