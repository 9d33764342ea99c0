/** GET /account: the caller's account with plan, credits and limits. /account/notifications: what it is told by email. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Account, NotificationChanges, NotificationSettings } from "@mailvet/contract";
import type { Accounts } from "../../accounts/accounts.ts";
import type { PresentAccount } from "../../accounts/present-account.ts";
import type { Notifications } from "../../notifications/notifications.ts";
import { actorOf } from "../request-actor.ts";
import "../route-config.ts";

export type AccountRouteDeps = {
  accounts: Pick<Accounts, "find">;
  presentAccount: PresentAccount;
  notifications: Pick<Notifications, "settingsOf" | "changeSettings">;
};

export const accountRoutes =
  ({ accounts, presentAccount, notifications }: AccountRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get("/account", { schema: GET_ACCOUNT, config: { access: "any_key" } }, async (request) => {
      const { accountId, isTest } = request.caller!;
      const account = await accounts.find(accountId);
      request.creditsRemaining = account.balance;
      return presentAccount(account, isTest);
    });

    app.get(
      "/account/notifications",
      { schema: GET_NOTIFICATIONS, config: { access: "session" } },
      (request) => notifications.settingsOf(request.caller!.accountId),
    );

    app.patch(
      "/account/notifications",
      { schema: CHANGE_NOTIFICATIONS, config: { access: "session" } },
      (request) => notifications.changeSettings(request.caller!.accountId, request.body, actorOf(request)),
    );
  };

const GET_NOTIFICATIONS = {
  operationId: "getNotifications",
  tags: ["account"],
  summary: "Retrieve notification settings",
  description: "Returns what the account is told by email, where the installation has a mail server.",
  response: { 200: NotificationSettings },
};

const CHANGE_NOTIFICATIONS = {
  operationId: "changeNotifications",
  tags: ["account"],
  summary: "Change notification settings",
  description: "Changes the fields that are given.",
  body: NotificationChanges,
  response: { 200: NotificationSettings },
};

const GET_ACCOUNT = {
  operationId: "getAccount",
  tags: ["account"],
  summary: "Retrieve your account",
  description:
    "Returns the plan, credits and limits of the authenticated account. In test mode the credits are simulated.",
  response: { 200: Account },
};
