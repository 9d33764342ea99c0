/**
 * Local parts made by a known recipe: UUIDs, digests, a row of the keyboard from its end, and what mail programs put in
 * envelopes.
 *
 * A rule knows these for certain, so the model is not asked about them.
 */

export type MachineForm = "uuid" | "digest" | "number" | "envelope" | "row_run";

/** Undefined: no recipe that is known here. Takes the local part as typed. */
export function machineFormOf(local: string): MachineForm | undefined {
  if (ROW_RUN.test(local)) return "row_run";
  if (!SIGN.test(local)) return undefined;
  // Nothing below is longer, save for envelopes, which show in their first characters.
  const text = local.length > MAX_LOOKED_AT ? local.slice(0, MAX_LOOKED_AT) : local;
  for (const [form, pattern] of RECIPES) if (pattern.test(text)) return form;
  return undefined;
}

/** Four letters or more of a row, from either end of it, and perhaps a number: asdf, qwerty123. From elsewhere they may be words. */
const ROW_RUN =
  /^(?:qwer(?:t(?:y(?:u(?:io?p?)?)?)?)?|asdf(?:g(?:h(?:jk?l?)?)?)?|zxcv(?:bn?m?)?|poiu(?:y(?:t(?:re?w?q?)?)?)?|lkjh(?:g(?:f(?:ds?a?)?)?)?|mnbv(?:cx?z?)?)\d{0,6}$/i;

const MAX_LOOKED_AT = 128;
/** Every recipe leaves a digit or an equals sign near the start; most names have neither. */
const SIGN = /^[^0-9=]{0,64}[0-9=]/;

const RECIPES: readonly (readonly [MachineForm, RegExp])[] = [
  ["uuid", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  // Half an MD5 up to a SHA-256. Digits must be among them: a to f spell words.
  ["digest", /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{16,64}$/i],
  ["number", /^[0-9]{4,64}$/], // telephone numbers and customer numbers: chosen or not, nobody can tell
  ["envelope", /^(?:srs[01][=+-]|prvs=|btv1==|msprvs1=|bounces?[+-].*=)/i],
];
