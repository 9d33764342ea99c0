/** The server's side of STARTTLS: what becomes of the TCP connection after "ready to start TLS". */
import type { Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { EXPIRED_LAB_CERTIFICATE, LAB_CERTIFICATE, LAB_PRIVATE_KEY } from "./lab-certificate.ts";
import type { TlsManner } from "./temperament.ts";

/** The socket to go on with, `undefined` when the handshake is not going to come about. */
export function encrypt(tcp: Socket, manner: TlsManner): Socket | undefined {
  if (manner === "silent") tcp.resume();
  if (manner === "garbled") tcp.once("data", () => tcp.end("This is no handshake.\r\n")).resume();
  if (manner === "silent" || manner === "garbled") return undefined;
  const secure = new TLSSocket(tcp, { isServer: true, secureContext: secureContextFor(manner) });
  secure.on("error", () => tcp.destroy());
  return secure;
}

type HandshakeManner = Exclude<TlsManner, "silent" | "garbled">;

const CONTEXTS: Record<HandshakeManner, () => SecureContext> = {
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

const made = new Map<HandshakeManner, SecureContext>();

/** Made once and shared by every visit. */
function secureContextFor(manner: HandshakeManner): SecureContext {
  const context = made.get(manner) ?? CONTEXTS[manner]();
  made.set(manner, context);
  return context;
}
