/** URL of a Mailvet service and an API key. */
import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from "n8n-workflow";

export class MailvetApi implements ICredentialType {
  name = "mailvetApi";

  displayName = "Mailvet API";

  icon = {
    light: "file:../nodes/Mailvet/mailvet.svg",
    dark: "file:../nodes/Mailvet/mailvet.dark.svg",
  } as const;

  documentationUrl = "https://mailvet.example.com/docs/";

  properties: INodeProperties[] = [
    {
      displayName: "Service URL",
      name: "baseUrl",
      type: "string",
      default: "",
      placeholder: "https://mailvet.example.com",
      description: "Address of your Mailvet service, without /api/v1",
      required: true,
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      description: "A key from the Keys page; one that begins with mv_test_ uses the sandbox for free",
      required: true,
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { "X-API-Key": "={{$credentials.apiKey}}" } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: "={{$credentials.baseUrl.replace(/\\/+$/, '')}}", url: "/api/v1/account" },
  };
}
