/**
 * What can be told about an address from its text alone: syntax, typos, disposable and role addresses. Without Node: the
 * build makes one file of it that runs in browsers, Deno, Bun and edge workers (scripts/bundle.mjs).
 *
 * The list of disposable domains is large, so it is not part of the file but loaded by the caller
 * (`@mailvet/engine/disposable-domains.txt`).
 */
import { createInspection } from "../offline-inspection.ts";
import { domainListFrom } from "../reference/domain-list.ts";

export type InspectorOptions = {
  /** The content of disposable-domains.txt. Without it no domain is known to be disposable. */
  disposableDomains?: Uint8Array | string;
};

export type InspectedEmail = {
  email: string;
  is_syntax_valid: boolean;
  /** What is wrong, as a sentence. */
  syntax_error: string | null;
  /** Domain in A-labels and lower case; empty when the syntax is invalid. */
  domain: string;
  normalized_email: string;
  /** One spelling per mailbox: without dots and tags where the provider ignores them. */
  canonical_email: string;
  /** The address that was probably meant. */
  suggestion: string | null;
  is_disposable: boolean;
  is_role_based: boolean;
  is_free: boolean;
  is_subaddressed: boolean;
  /** Why no public mail can reach the domain, such as "reserved for documentation". */
  special_use: string | null;
};

export function createInspector({
  disposableDomains = "",
}: InspectorOptions = {}): (email: string) => InspectedEmail {
  const bytes =
    typeof disposableDomains === "string" ? new TextEncoder().encode(disposableDomains) : disposableDomains;
  const list = domainListFrom(bytes);
  const inspection = createInspection({
    disposables: { isDenied: () => false, isDisposableDomain: list.covers, generation: 0 },
  });
  return (email) => {
    const found = inspection(email);
    return {
      email,
      is_syntax_valid: found.address !== undefined && found.providerSyntaxError === undefined,
      syntax_error: found.syntaxError?.message ?? found.providerSyntaxError ?? null,
      domain: found.address?.domain ?? "",
      normalized_email: found.address?.normalized ?? "",
      canonical_email: found.canonical ?? "",
      suggestion: found.suggestion?.email ?? null,
      is_disposable: found.disposable !== undefined,
      is_role_based: found.role !== undefined,
      is_free: found.isFree === true,
      is_subaddressed: found.isSubaddressed === true,
      special_use: found.specialUse ?? null,
    };
  };
}
