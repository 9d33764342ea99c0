/** Where the stories of errors happen: the service, the people in it, and the ways in which they ask for something. */
import type { ProblemCode } from "@mailvet/contract";
import { credentialsFor, type Endpoint, requestTo } from "./endpoints.ts";
import { type Answer, type Asked, openService, type Person, type TestService } from "./service.ts";

export type Stage = {
  service: TestService;
  /** Ann does everything right, broke has no credits, free no API access, and cy has uploads and jobs. */
  people: { ann: Person; broke: Person; free: Person; cy: Person };
};

/** Empty until it is set. */
export const stage = {} as Stage;

/** In a file: so few that a story can have too many. */
export const MAX_EMAILS = 5;

export async function setStage(): Promise<Stage> {
  const limits = { MAX_UPLOAD_MB: "1", MAX_CSV_EMAILS: String(MAX_EMAILS) };
  const service = await openService({ env: { ROLE: "api", ...limits } }); // without a worker a job stays as it is
  const ann = await service.openAccount();
  const broke = await service.openAccount({ credits: 0 });
  const free = await service.openAccount({ plan: "free" });
  const cy = await service.openAccount();
  return Object.assign(stage, { service, people: { ann, broke, free, cy } });
}

/** Where something applies. */
export type Place = (endpoint: Endpoint) => boolean;
/** What is done wrong, what it is called, where that applies, and how it is done. */
export type Row = readonly [
  what: string,
  code: ProblemCode,
  at: Place,
  ask: (endpoint: Endpoint) => Promise<Answer>,
];
export type Who = Pick<Asked, "key" | "cookie">;

export const only =
  (...names: string[]): Place =>
  ({ name }) =>
    names.includes(name);
export const takesFile: Place = ({ form }) => form !== undefined;

/** By whoever may, with something about it changed. */
export const changed =
  (change: Asked): Row[3] =>
  async (endpoint) => {
    const { service, people } = stage;
    const { path, asked } = requestTo(endpoint);
    const who = await credentialsFor(endpoint, service, people.ann);
    return service.ask(path, { from: somewhere(), ...asked, ...who, ...change });
  };

/** By somebody else, or by nobody. */
export const by =
  (who: () => Who): Row[3] =>
  async (endpoint) => {
    const { path, asked } = requestTo(endpoint);
    return stage.service.ask(path, { from: somewhere(), ...asked, ...who() });
  };

let addresses = 0;

/** An address that nobody has asked from: what one story does must not use up the tries of another. */
export function somewhere(): string {
  addresses += 1;
  return `198.18.${addresses >> 8}.${addresses & 255}`;
}
