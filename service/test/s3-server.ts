/** A real S3-compatible server on loopback, with one empty bucket. It does not check signatures of version 4, so this does. */
import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
// @ts-expect-error the package has no types
import S3rver from "s3rver";
import type { S3Settings } from "../src/blobs/s3-store.ts";

export type S3Server = AsyncDisposable & {
  settings: S3Settings;
  /** Settings of the service. */
  env: Record<string, string>;
  /** It is unreachable until it is started again, with the same objects. */
  stop(): void;
  start(): void;
  /** How many listings it has answered, each with one page. */
  listings(): number;
};

/** The id and the secret of the only key that the server knows. */
const KEY = "S3RVER";

export async function openS3Server({ keysPerPage = 1000 } = {}): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), "mailvet-s3-"));
  const bucket = "lists";
  let listings = 0;
  const pageOf = (context: Context) => {
    if (context.query.prefix === undefined) return;
    listings++;
    context.query = { ...context.query, "max-keys": String(keysPerPage) };
  };
  const server = createServer(directory, bucket, pageOf);
  const { port } = (await server.run()) as AddressInfo;
  // While stopped it keeps its port, which another server could take.
  let isStopped = false;
  server.httpServer.on("connection", (socket: Socket) => void (isStopped && socket.destroy()));
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    settings: {
      endpoint,
      bucket,
      region: "us-east-1",
      accessKeyId: KEY,
      secretAccessKey: KEY,
      isPathStyle: true,
    },
    env: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: KEY,
      S3_SECRET_ACCESS_KEY: KEY,
    },
    stop() {
      isStopped = true;
      server.httpServer.closeAllConnections();
    },
    start() {
      isStopped = false;
    },
    listings: () => listings,
    async [Symbol.asyncDispose]() {
      const closed = server.close();
      server.httpServer.closeAllConnections();
      await closed;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Of koa. */
type Context = { req: IncomingMessage; query: Record<string, string>; status: number; body: string };

function createServer(directory: string, bucket: string, onSigned: (context: Context) => void) {
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  server.middleware.unshift(async (context: Context, next: () => Promise<void>) => {
    if (isSigned(context.req)) {
      onSigned(context);
      return next();
    }
    context.status = 403;
    context.body = "<Error><Code>SignatureDoesNotMatch</Code></Error>";
  });
  return server;
}

/** AWS Signature Version 4, computed from the request as it arrived. */
function isSigned({ method, url = "", headers }: IncomingMessage): boolean {
  const [, date, region, names = "", signature] =
    /Credential=S3RVER\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)/.exec(
      headers.authorization ?? "",
    ) ?? [];
  if (!date || !region || !signature) return false;
  const [path = "", query = ""] = url.split("?", 2);
  const signedHeaders = names.split(";").map((name) => `${name}:${headers[name]}\n`);
  const request = [
    method,
    path,
    query.split("&").sort().join("&"),
    signedHeaders.join(""),
    names,
    headers["x-amz-content-sha256"],
  ].join("\n");
  const hash = createHash("sha256").update(request).digest("hex");
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash].join("\n");
  const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
  const signingKey = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${KEY}`, date));
  return hmac(signingKey, text).toString("hex") === signature;
}
