/** The email of an account: trimmed and in lower case, so that spellings do not make two accounts. */
import type { Verifier } from "@mailvet/engine";
import { wrongValue } from "../refusal.ts";

export function accountEmail(typed: string): string {
  return typed.trim().toLowerCase().normalize("NFC");
}

/** For sign-up: refuses malformed addresses with the reason. */
export async function newAccountEmail(verify: Verifier["verify"], typed: string): Promise<string> {
  const email = accountEmail(typed);
  const { address, syntaxError } = await verify(email, "syntax");
  if (address) return email;
  const message = syntaxError?.message ?? "This is not a valid email address.";
  throw wrongValue("/email", message);
}
