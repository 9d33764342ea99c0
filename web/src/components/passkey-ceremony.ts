/** Creates and uses passkeys in this browser. The library is loaded with the first of them. */
import type { PasskeyAssertion, PasskeyAttestation, PasskeyCreationOptions } from "@mailvet/contract";
import { common } from "../messages.ts";
import { service } from "../service.ts";

/** Browsers have no passkeys on plain http, nor at an IP address. */
export function hasPasskeys({ hostname } = window.location): boolean {
  return "PublicKeyCredential" in window && !/^[\d.]+$|^\[/.test(hostname);
}

/** Has a passkey sign a new challenge: to sign in, or as proof of the owner. */
export async function assertPasskey(): Promise<PasskeyAssertion> {
  const [optionsJSON, { startAuthentication }] = await Promise.all([
    service.auth.passkeyChallenge(),
    import("@simplewebauthn/browser"),
  ]);
  return withReason(() => startAuthentication({ optionsJSON }));
}

export async function createPasskey(optionsJSON: PasskeyCreationOptions): Promise<PasskeyAttestation> {
  const { startRegistration } = await import("@simplewebauthn/browser");
  return withReason(() => startRegistration({ optionsJSON }));
}

const REASONS: Readonly<Record<string, string>> = {
  NotAllowedError: common.passkey.cancelled,
  AbortError: common.passkey.cancelled,
  InvalidStateError: common.passkey.exists,
};

async function withReason<T>(ceremony: () => Promise<T>): Promise<T> {
  try {
    return await ceremony();
  } catch (error) {
    const reason = error instanceof Error ? REASONS[error.name] : undefined;
    throw reason ? new Error(reason, { cause: error }) : error;
  }
}
