/** The address an account is known by: trimmed and in lower case, so that one person cannot be two by accident. */
import type { Verifier } from "@mailvet/engine";
import { wrongValue } from "../refusal.ts";

export function accountEmail(typed: string): string {
  return typed.trim().toLowerCase().normalize("NFC");
}

/** For opening an account: refuses what is no address, and says why. */
export async function newAccountEmail(verify: Verifier["verify"], typed: string): Promise<string> {
  const email = accountEmail(typed);
  const { address, syntaxError } = await verify(email, "syntax");
  if (address) return email;
  const message = syntaxError?.message ?? "This cannot be read as an address.";
  throw wrongValue("/email", message);
}
