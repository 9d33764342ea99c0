/** Runs every outgoing client in a network namespace without a route, and prints what each answered (without-route.test.ts). */
import { createLinkDownload } from "../src/uploads/link-download.ts";
import type { Destination } from "../src/webhooks/destination-check.ts";
import { createPost } from "../src/webhooks/http-post.ts";

export type ClientReport = { client: string; situation: string; answer: string; expected: string };

const destinationAt =
  (addresses: readonly string[]) =>
  async (text: string): Promise<Destination> => {
    const url = new URL(text);
    return { url, host: url.hostname, addresses };
  };
const checkDestination = destinationAt(["2606:4700:4700::1111"]);
const never = new AbortController().signal;

const reports: ClientReport[] = [];
for (const url of ["https://v6only.example/hook", "http://v6only.example/hook"]) {
  const post = createPost({ checkDestination, timeoutMs: 60_000 });
  const { error } = await post(
    { url, use: { isTest: false, kind: "endpoint" }, headers: {}, body: "{}" },
    never,
  );
  reports.push({
    client: "webhook",
    situation: url,
    answer: String(error),
    expected: "No connection, or no response",
  });
  const download = createLinkDownload({ checkDestination, maxBytes: 1000, userAgent: "test" });
  const answer = await download({ url, isTest: false }, never).then(String, String);
  reports.push({ client: "link", situation: url, answer, expected: "No connection, or no response" });
}
console.log(JSON.stringify(reports));
