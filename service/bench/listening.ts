/** The URL of a service started as a child process, read from its start message. */
import type { ChildProcess } from "node:child_process";

export function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout!.on("data", (chunk) => {
      said += chunk;
      const address = /listens on (http:\/\/\S+)/.exec(said)?.[1];
      if (address) resolve(address);
    });
    child.once("exit", () => reject(new Error(`the service did not start: ${said}`)));
  });
}
