/** Server side of STARTTLS, after the reply "ready to start TLS". */
import type { Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { EXPIRED_LAB_CERTIFICATE, LAB_CERTIFICATE, LAB_PRIVATE_KEY } from "./lab-certificate.ts";
import type { TlsMode } from "./temperament.ts";

/** The TLS socket; `undefined` for modes without a handshake. */
export function encrypt(tcp: Socket, mode: TlsMode): Socket | undefined {
  if (mode === "silent") tcp.resume();
  if (mode === "garbled") tcp.once("data", () => tcp.end("This is no handshake.\r\n")).resume();
  if (mode === "silent" || mode === "garbled") return undefined;
  const secure = new TLSSocket(tcp, { isServer: true, secureContext: secureContextFor(mode) });
  secure.on("error", () => tcp.destroy());
  return secure;
}

type HandshakeMode = Exclude<TlsMode, "silent" | "garbled">;

const CONTEXTS: Record<HandshakeMode, () => SecureContext> = {
  self_signed: () => createSecureContext({ key: LAB_PRIVATE_KEY, cert: LAB_CERTIFICATE }),
  expired: () => createSecureContext({ key: LAB_PRIVATE_KEY, cert: EXPIRED_LAB_CERTIFICATE }),
  obsolete: () =>
    createSecureContext({
      key: LAB_PRIVATE_KEY,
      cert: LAB_CERTIFICATE,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "ALL:@SECLEVEL=0",
    }),
};

const contexts = new Map<HandshakeMode, SecureContext>();

/** Created once and shared by all sessions. */
function secureContextFor(mode: HandshakeMode): SecureContext {
  const context = contexts.get(mode) ?? CONTEXTS[mode]();
  contexts.set(mode, context);
  return context;
}
