/** The outcome of trying to connect, and the waiting for it. */
import type { Socket } from "node:net";

export type ConnectResult =
  | { kind: "connected"; socket: Socket }
  /** The egress guard does not let us go there. */
  | { kind: "forbidden" }
  /** `isOurs` when it failed on our own side, at the proxy, before anybody else was asked. */
  | { kind: "unreachable"; why: string; isOurs?: true }
  | { kind: "timeout" };

/** Waits until the socket is connected, has failed, the time is up, or `givingUp` came first. */
export function connected(socket: Socket, timeoutMs: number, givingUp?: AbortSignal): Promise<ConnectResult> {
  return new Promise((resolve) => {
    const giveUp = () => settle({ kind: "unreachable", why: "given up", isOurs: true });
    const timer = setTimeout(() => settle({ kind: "timeout" }), timeoutMs);
    const onConnect = () => settle({ kind: "connected", socket });
    const onError = (error: NodeJS.ErrnoException) => {
      const timedOut = error.code === "ETIMEDOUT";
      settle(timedOut ? { kind: "timeout" } : { kind: "unreachable", why: error.code ?? error.message });
    };
    function settle(outcome: ConnectResult): void {
      clearTimeout(timer);
      givingUp?.removeEventListener("abort", giveUp);
      socket.off("connect", onConnect);
      socket.off("error", onError);
      if (outcome.kind !== "connected") abandon(socket);
      resolve(outcome);
    }
    givingUp?.addEventListener("abort", giveUp);
    socket.once("connect", onConnect);
    socket.once("error", onError);
  });
}

/** Drops a connection at once, whatever it still wants to say. */
export function abandon(socket: Socket): void {
  socket.on("error", () => {});
  socket.destroy();
}
