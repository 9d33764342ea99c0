/** /lists: saved lists, which are kept and re-validated on a schedule. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { CreateListRequest, ListChange, SavedList, UpdateListRequest } from "@mailvet/contract";
import { Type } from "typebox";
import type { Lists } from "../../lists/lists.ts";
import { actorOf } from "../request-actor.ts";
import "../route-config.ts";

export type ListRouteDeps = { lists: Omit<Lists, "onEvent" | "runDue"> };

const ListParams = Type.Object({ list_id: Type.String({ format: "uuid", description: "ID of the list." }) });
const READ = { access: { scope: "read" }, problems: ["list_not_found"] } as const;
const CHANGE = { access: { scope: "bulk" }, problems: ["list_not_found"] } as const;

export const listRoutes =
  ({ lists }: ListRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/lists",
      {
        schema: {
          operationId: "listLists",
          tags: ["lists"],
          summary: "List saved lists",
          description: "Returns your saved lists, newest first.",
          response: { 200: Type.Array(SavedList) },
        },
        config: { access: { scope: "read" } },
      },
      (request) => lists.all(request.caller!),
    );

    app.post(
      "/lists",
      {
        schema: {
          operationId: "createList",
          tags: ["lists"],
          summary: "Save a list",
          description:
            "Keeps a completed job as a list beyond the retention, and checks its stale results again on the schedule: one credit per email, an `unknown` of the last 24 hours is free. Saving a job again returns the same list.",
          body: CreateListRequest,
          response: { 200: SavedList },
        },
        config: {
          access: { scope: "bulk" },
          idempotency: false, // a job is one list
          problems: ["job_not_found", "job_state_conflict", "results_expired"],
        },
      },
      (request) => lists.create(request.caller!, request.body, actorOf(request)),
    );

    app.get(
      "/lists/:list_id",
      {
        schema: {
          operationId: "getList",
          tags: ["lists"],
          summary: "Retrieve a list",
          description: "Returns a saved list with the counts of its last run.",
          params: ListParams,
          response: { 200: SavedList },
        },
        config: READ,
      },
      (request) => lists.find(request.caller!, request.params.list_id),
    );

    app.get(
      "/lists/:list_id/changes",
      {
        schema: {
          operationId: "getListChanges",
          tags: ["lists"],
          summary: "List changes of the last run",
          description: "Returns rows whose status has changed in the last run, at most a thousand.",
          params: ListParams,
          response: { 200: Type.Array(ListChange) },
        },
        config: READ,
      },
      (request) => lists.changes(request.caller!, request.params.list_id),
    );

    app.patch(
      "/lists/:list_id",
      {
        schema: {
          operationId: "updateList",
          tags: ["lists"],
          summary: "Change a list",
          description: "Changes the fields that are given. A new schedule starts now.",
          params: ListParams,
          body: UpdateListRequest,
          response: { 200: SavedList },
        },
        config: CHANGE,
      },
      (request) => lists.change(request.caller!, request.params.list_id, request.body, actorOf(request)),
    );

    app.delete(
      "/lists/:list_id",
      {
        schema: {
          operationId: "deleteList",
          tags: ["lists"],
          summary: "Delete a list",
          description: "Ends the schedule. The job and its results are deleted after the retention.",
          params: ListParams,
          response: { 204: Type.Null({ description: "Deleted." }) },
        },
        config: CHANGE,
      },
      async (request, reply) => {
        await lists.remove(request.caller!, request.params.list_id, actorOf(request));
        return reply.code(204).send(null);
      },
    );
  };
