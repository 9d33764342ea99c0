/** API keys of the signed-in account. */
import type { ApiKey, CreatedKey, KeyMode, KeyScope } from "@mailvet/contract";
import { momentText, type Requests } from "./requests.ts";
import type { CallOptions } from "./transport.ts";

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

export function keyMethods(requests: Requests): KeyMethods {
  return {
    list: (options) => requests.get("/keys", options),
    create: ({ name, mode, scopes, expiresAt }, options) =>
      requests.post("/keys", { name, mode, scopes, expires_at: momentText(expiresAt) }, options),
    revoke: (keyId, options) => requests.delete(`/keys/${encodeURIComponent(keyId)}`, options),
  };
}
