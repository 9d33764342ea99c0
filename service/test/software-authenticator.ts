/**
 * An authenticator in software: creates ES256 passkeys and signs with them, as a browser and its authenticator would. What they
 * would not do (another origin, no user verification, a counter that goes back) is an option.
 */
import {
  createHash,
  generateKeyPairSync,
  type KeyLike,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from "@mailvet/contract";

export type SoftwareAuthenticator = {
  /** What navigator.credentials.create() returns. */
  create(options: PasskeyCreationOptions, changes?: Changes): PasskeyAttestation;
  /** What navigator.credentials.get() returns. */
  get(options: PasskeyRequestOptions, changes?: Changes): PasskeyAssertion;
};

export type Changes = {
  origin?: string;
  rpId?: string;
  counter?: number;
  isUserVerified?: boolean;
  type?: string;
  userHandle?: string;
  /** Signed by the passkey itself, or by the key of a certificate. */
  attestation?: "self" | "certificate";
};

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

export function createSoftwareAuthenticator(origin: string): SoftwareAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(16);
  let counter = 0;
  let userHandle = "";

  const clientData = (type: string, challenge: string, from = origin) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));

  const authenticatorData = (
    rpId: string,
    { counter: changed, isUserVerified = true }: Changes,
    credential = Buffer.alloc(0),
  ) => {
    const flags =
      USER_PRESENT | (isUserVerified ? USER_VERIFIED : 0) | (credential.length > 0 ? HAS_CREDENTIAL : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    counter = changed ?? counter + 1;
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), head, credential]);
  };

  const signed = (data: Buffer, client: Buffer, key: KeyLike) =>
    sign("sha256", Buffer.concat([data, sha256(client)]), key);

  const statement = (data: Buffer, client: Buffer, by: Changes["attestation"]): CborEntry[] => {
    if (!by) return [];
    const signature = signed(data, client, by === "self" ? privateKey : ATTESTATION_KEY);
    const algorithmAndSignature: CborEntry[] = [
      [cborText("alg"), cborInteger(-7)],
      [cborText("sig"), cborBytes(signature)],
    ];
    if (by === "self") return algorithmAndSignature;
    const { raw } = new X509Certificate(ATTESTATION_CERTIFICATE);
    return [...algorithmAndSignature, [cborText("x5c"), Buffer.concat([cborHead(4, 1), cborBytes(raw)])]];
  };

  return {
    create({ challenge, rp, user }, changes = {}) {
      userHandle = user.id;
      const { x, y } = publicKey.export({ format: "jwk" });
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(x!, y!)]);
      const data = authenticatorData(changes.rpId ?? rp.id, changes, credential);
      const client = clientData(changes.type ?? "webauthn.create", challenge, changes.origin);
      const attestation = cborMap([
        [cborText("fmt"), cborText(changes.attestation ? "packed" : "none")],
        [cborText("attStmt"), cborMap(statement(data, client, changes.attestation))],
        [cborText("authData"), cborBytes(data)],
      ]);
      return {
        ...identified(id),
        response: {
          clientDataJSON: base64(client),
          attestationObject: base64(attestation),
        },
      };
    },

    get({ challenge, rpId }, changes = {}) {
      const data = authenticatorData(changes.rpId ?? rpId, changes);
      const client = clientData(changes.type ?? "webauthn.get", challenge, changes.origin);
      return {
        ...identified(id),
        response: {
          clientDataJSON: base64(client),
          authenticatorData: base64(data),
          signature: base64(signed(data, client, privateKey)),
          userHandle: changes.userHandle ?? userHandle,
        },
      };
    },
  };
}

function identified(id: Buffer) {
  return { id: base64(id), rawId: base64(id), type: "public-key" as const };
}

function sha256(data: string | Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}

function base64(data: Buffer): string {
  return data.toString("base64url");
}

/** An EC2 key of ES256 (RFC 9053): kty, alg, crv, x, y. */
function coseKey(x: string, y: string): Buffer {
  const coordinate = (text: string) => cborBytes(Buffer.from(text, "base64url"));
  return cborMap([
    [cborInteger(1), cborInteger(2)],
    [cborInteger(3), cborInteger(-7)],
    [cborInteger(-1), cborInteger(1)],
    [cborInteger(-2), coordinate(x)],
    [cborInteger(-3), coordinate(y)],
  ]);
}

type CborEntry = readonly [Buffer, Buffer];

function cborMap(entries: readonly CborEntry[]): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes]);
}

function cborInteger(value: number): Buffer {
  return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
}

function cborHead(major: number, value: number): Buffer {
  const type = major << 5;
  if (value < 24) return Buffer.from([type | value]);
  if (value < 256) return Buffer.from([type | 24, value]);
  return Buffer.from([type | 25, value >> 8, value & 255]);
}

/** A certificate as authenticators have them, and its key, made for these tests only. */
const ATTESTATION_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIICTDCCAfKgAwIBAgIUVDC2Ux4gqSPh1fbrHR4VRG/JNzEwCgYIKoZIzj0EAwIw
fDELMAkGA1UEBhMCREUxKDAmBgNVBAoMH01haWx2ZXQgdGVzdHMsIG5vdCBmb3Ig
cmVhbCB1c2UxIjAgBgNVBAsMGUF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRpb24xHzAd
BgNVBAMMFlNvZnR3YXJlIGF1dGhlbnRpY2F0b3IwIBcNMjYxMTE2MDY0NzA4WhgP
MjA1NjExMDgwNjQ3MDhaMHwxCzAJBgNVBAYTAkRFMSgwJgYDVQQKDB9NYWlsdmV0
IHRlc3RzLCBub3QgZm9yIHJlYWwgdXNlMSIwIAYDVQQLDBlBdXRoZW50aWNhdG9y
IEF0dGVzdGF0aW9uMR8wHQYDVQQDDBZTb2Z0d2FyZSBhdXRoZW50aWNhdG9yMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEcQExkLReCIPHL32Zbr2nsf8/NRV783hL
ZOtsG+C0y6rBkdwEEI9hck3j3BD2DLrnbxobFb5Bmn11IqLrMclxI6NQME4wHQYD
VR0OBBYEFHsJYFp/Fl1g2dVo5iirtUYC0g3EMB8GA1UdIwQYMBaAFHsJYFp/Fl1g
2dVo5iirtUYC0g3EMAwGA1UdEwEB/wQCMAAwCgYIKoZIzj0EAwIDSAAwRQIgFtVO
Xf953bUqd80VK7EmAhmi9VEPlLeNHpBBfzmdgQECIQDX6Z/wrNLW/u5NLSxDcXuw
6fWmQkZH0OtzZCN1b9qgqg==
-----END CERTIFICATE-----
`;

const ATTESTATION_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgquA/kINY8UGzgfjh
BRXlEkLFmUcRGvbu7qHGJrCFf0yhRANCAARxATGQtF4Ig8cvfZluvaex/z81FXvz
eEtk62wb4LTLqsGR3AQQj2FyTePcEPYMuudvGhsVvkGafXUiousxyXEj
-----END PRIVATE KEY-----
`;
