/** API keys of the signed-in account. */
import type { ApiKey, CreatedKey, KeyMode, KeyScope } from "@mailvet/contract";
import { createIdempotencyKey } from "./idempotency-key.ts";
import type { CallOptions, SendRequest } from "./transport.ts";

export type KeyMethods = {
  /** Newest first, including recently revoked ones. */
  list(options?: CallOptions): Promise<ApiKey[]>;
  /** The response contains the secret, which is not shown again. */
  create(key: NewKey, options?: CallOptions): Promise<CreatedKey>;
  /** Takes effect in all processes within a second. */
  revoke(keyId: string, options?: CallOptions): Promise<void>;
};

export type NewKey = {
  name: string;
  /** A test key uses the sandbox and is free. Default: live. */
  mode?: KeyMode | undefined;
  /** Default: all scopes. */
  scopes?: KeyScope[] | undefined;
  /** Default: never. */
  expiresAt?: Date | string | undefined;
};

export function keyMethods(send: SendRequest): KeyMethods {
  return {
    async list(options) {
      return (await send<ApiKey[]>({ method: "GET", path: "/keys", ...options })).body;
    },
    async create({ name, mode, scopes, expiresAt }, options) {
      const expires_at = expiresAt instanceof Date ? expiresAt.toISOString() : expiresAt;
      const body = { name, mode, scopes, expires_at };
      const call = {
        method: "POST",
        path: "/keys",
        body,
        idempotencyKey: createIdempotencyKey(),
        ...options,
      } as const;
      return (await send<CreatedKey>(call)).body;
    },
    async revoke(keyId, options) {
      await send({ method: "DELETE", path: `/keys/${encodeURIComponent(keyId)}`, ...options });
    },
  };
}
