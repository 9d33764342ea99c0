/**
 * Local parts that a program made by a known recipe: UUIDs, digests, and what mail programs put in envelopes.
 *
 * A rule knows these for certain, so the model is not asked about them.
 */

export type MachineForm = "uuid" | "digest" | "number" | "envelope";

/** Undefined: no recipe that is known here. Takes the local part as typed. */
export function machineFormOf(local: string): MachineForm | undefined {
  if (!SIGN.test(local)) return undefined;
  // Nothing below is longer, save for envelopes, which show in their first characters.
  const text = local.length > MAX_LOOKED_AT ? local.slice(0, MAX_LOOKED_AT) : local;
  for (const [form, pattern] of RECIPES) if (pattern.test(text)) return form;
  return undefined;
}

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
