/** Tells the other tabs of this browser about a sign-in or sign-out, which all of them share by the cookie. */

export type SessionNews = { kind: "signed-in"; accountId: string } | { kind: "signed-out" };

const channel = new BroadcastChannel("mailvet-session");

export function tellOtherTabs(news: SessionNews): void {
  channel.postMessage(news);
}

/** Returns a function that ends the subscription. */
export function onSessionNews(hear: (news: SessionNews) => void): () => void {
  const listener = ({ data }: MessageEvent<SessionNews>) => hear(data);
  channel.addEventListener("message", listener);
  return () => channel.removeEventListener("message", listener);
}
