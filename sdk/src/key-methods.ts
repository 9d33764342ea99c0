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

/** At `path`, also for the keys of operators, which have no mode. */
export function keyMethods<Key, Created>(
  requests: Requests,
  path: string,
): {
  list(options?: CallOptions): Promise<Key[]>;
  create(
    key: Omit<NewKey, "scopes"> & { scopes?: string[] | undefined; allowedRanges?: string[] | undefined },
    options?: CallOptions,
  ): Promise<Created>;
  revoke(keyId: string, options?: CallOptions): Promise<void>;
} {
  return {
    list: (options) => requests.get(path, options),
    create: ({ name, mode, scopes, allowedRanges, expiresAt }, options) =>
      requests.post(
        path,
        { name, mode, scopes, allowed_ranges: allowedRanges, expires_at: momentText(expiresAt) },
        options,
      ),
    revoke: (keyId, options) => requests.delete(`${path}/${encodeURIComponent(keyId)}`, options),
  };
}
