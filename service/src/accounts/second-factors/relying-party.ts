/**
 * The relying party of WebAuthn: the domain that passkeys belong to, and the origin of the pages that may use them.
 *
 * Browsers offer passkeys on https pages of a domain name, and on http://localhost; never at an IP address.
 */
import { isIP } from "node:net";
import { Refusal } from "../../base/refusal.ts";

export type RelyingParty = { rpId: string; origin: string };

/**
 * Of PUBLIC_URL. Without it, the service only knows the `Host` header, which is believed for localhost: no page of another
 * site has that origin. Refuses with passkeys_unavailable.
 */
export function relyingParty(publicUrl: string | undefined, host: string | undefined): RelyingParty {
  const address = publicUrl ?? `http://${host}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !isUsable(url, publicUrl !== undefined)) {
    throw new Refusal(
      "passkeys_unavailable",
      "Passkeys need the public https address of this installation (PUBLIC_URL), or http://localhost; an IP address has none.",
    );
  }
  return { rpId: url.hostname, origin: url.origin };
}

function isUsable({ hostname, protocol }: URL, isConfigured: boolean): boolean {
  if (hostname === "localhost") return true;
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith("[");
  return isConfigured && protocol === "https:" && !isAddress;
}
