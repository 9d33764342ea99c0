/** API keys of the account that is signed in. */
import type { ApiKey, CreatedKey, KeyMode, KeyScope } from "@mailvet/contract";
import type { CallOptions, Connection } from "./connection.ts";
import { onceKey } from "./once-key.ts";

export type KeyMethods = {
  /** Newest first, with those that were revoked lately. */
  list(options?: CallOptions): Promise<ApiKey[]>;
  /** The answer holds the secret, this once. */
  create(key: NewKey, options?: CallOptions): Promise<CreatedKey>;
  /** The key stops working everywhere within a second. */
  revoke(keyId: string, options?: CallOptions): Promise<void>;
};

export type NewKey = {
  name: string;
  /** A test key answers from the sandbox for free; live unless told. */
  mode?: KeyMode | undefined;
  /** Every scope unless told. */
  scopes?: KeyScope[] | undefined;
  /** Never unless told. */
  expiresAt?: Date | string | undefined;
};

export function keyMethods(connection: Connection): KeyMethods {
  return {
    async list(options) {
      return (await connection<ApiKey[]>({ method: "GET", path: "/keys", ...options })).body;
    },
    async create({ name, mode, scopes, expiresAt }, options) {
      const expires_at = expiresAt instanceof Date ? expiresAt.toISOString() : expiresAt;
      const body = { name, mode, scopes, expires_at };
      const call = { method: "POST", path: "/keys", body, idempotencyKey: onceKey(), ...options } as const;
      return (await connection<CreatedKey>(call)).body;
    },
    async revoke(keyId, options) {
      await connection({ method: "DELETE", path: `/keys/${encodeURIComponent(keyId)}`, ...options });
    },
  };
}
