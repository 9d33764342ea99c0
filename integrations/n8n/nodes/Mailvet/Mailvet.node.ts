/**
 * n8n node: checks addresses one by one or in batches, inspects domains, and runs jobs at a Mailvet service.
 *
 * The package has no dependency of its own: n8n-workflow is n8n's.
 */
import {
  type IDataObject,
  type IExecuteFunctions,
  type IHttpRequestOptions,
  type INodeExecutionData,
  type INodeProperties,
  type INodeType,
  type INodeTypeDescription,
  type JsonObject,
  NodeApiError,
  NodeConnectionTypes,
} from "n8n-workflow";

/** Addresses in one request to /validation/bulk. */
const BATCH = 1000;
/** Most results that the service returns at a time. */
const PAGE = 100;

type Run = (node: IExecuteFunctions, items: INodeExecutionData[]) => Promise<INodeExecutionData[]>;

export class Mailvet implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Mailvet",
    name: "mailvet",
    icon: { light: "file:mailvet.svg", dark: "file:mailvet.dark.svg" },
    group: ["transform"],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: "Check whether email addresses can receive mail, without sending any",
    defaults: { name: "Mailvet" },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: true,
    credentials: [{ name: "mailvetApi", required: true }],
    properties: PROPERTIES,
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const operation = this.getNodeParameter("operation", 0) as keyof typeof OPERATIONS;
    return [await OPERATIONS[operation](this, this.getInputData())];
  }
}

const shownFor = (...operation: string[]) => ({ show: { operation } });

const PROPERTIES: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    default: "check",
    options: [
      {
        name: "Check",
        value: "check",
        action: "Check an address",
        description: "Check the address of each item; returns the full result",
      },
      {
        name: "Check in Batches",
        value: "checkBatch",
        action: "Check addresses in batches",
        description: "Check the addresses of all items, 1,000 per request; returns short results",
      },
      {
        name: "Get Job",
        value: "getJob",
        action: "Get a job",
        description: "Get the status of a job",
      },
      {
        name: "Get Job Results",
        value: "getJobResults",
        action: "Get the results of a job",
        description: "Get all results of a job, one item each",
      },
      {
        name: "Inspect Domain",
        value: "domain",
        action: "Inspect a domain",
        description: "Report on a mail domain: mail servers, provider, catch-all, policies",
      },
      {
        name: "Start Job",
        value: "startJob",
        action: "Start a job",
        description: "Check the addresses of all items in the background; returns the job",
      },
    ],
  },
  {
    displayName: "Email",
    name: "email",
    type: "string",
    placeholder: "name@email.com",
    default: "={{ $json.email }}",
    required: true,
    displayOptions: shownFor("check", "checkBatch", "startJob"),
  },
  {
    displayName: "Domain",
    name: "domain",
    type: "string",
    placeholder: "example.com",
    default: "={{ $json.domain }}",
    required: true,
    displayOptions: shownFor("domain"),
  },
  {
    displayName: "Job ID",
    name: "jobId",
    type: "string",
    default: "={{ $json.id }}",
    required: true,
    displayOptions: shownFor("getJob", "getJobResults"),
  },
  {
    displayName: "Level",
    name: "level",
    type: "options",
    default: "smtp",
    description: "How deep to check",
    options: [
      { name: "Syntax", value: "syntax", description: "The text and the reference lists only" },
      { name: "DNS", value: "dns", description: "Also the mail servers of the domain" },
      { name: "SMTP", value: "smtp", description: "Also what the mail server says of the mailbox" },
    ],
    displayOptions: shownFor("check", "checkBatch", "startJob"),
  },
];

const OPERATIONS: Record<"check" | "checkBatch" | "domain" | "startJob" | "getJob" | "getJobResults", Run> = {
  check: (node, items) =>
    forEach(node, items, (index) =>
      send(node, "POST", "/validation/single", {
        email: textAt(node, "email", index),
        level: textAt(node, "level", index),
      }),
    ),

  async checkBatch(node, items) {
    const emails = items.map((_, index) => textAt(node, "email", index));
    const results = new Map<string, IDataObject>();
    const resultsOf = async (some: string[]) => {
      const body = { emails: some, level: textAt(node, "level", 0) };
      return (await send(node, "POST", "/validation/bulk", body)).results as IDataObject[];
    };
    // Every address of a request costs a credit: each is sent once, and nothing for items without an address.
    const given = emails.filter((email) => email.trim() !== "");
    const spellings = new Map(given.map((email) => [keyOf(email), email]));
    const asked = [...spellings.values()];
    for (let at = 0; at < asked.length; at += BATCH) {
      const part = asked.slice(at, at + BATCH);
      for (const result of await resultsOf(part)) results.set(keyOf(String(result.email)), result);
      // Other spellings of a mailbox in the same request ("ann"@… is ann@…) have no result of their own.
      for (const email of part) {
        if (results.has(keyOf(email))) continue;
        const [result] = await resultsOf([email]);
        if (result) results.set(keyOf(email), result);
      }
    }
    return items.map((item, index) => ({
      json: { ...item.json, mailvet: results.get(keyOf(emails[index] as string)) ?? null },
      pairedItem: index,
    }));
  },

  domain: (node, items) =>
    forEach(node, items, (index) =>
      send(node, "GET", `/domains/${encodeURIComponent(textAt(node, "domain", index))}`),
    ),

  async startJob(node, items) {
    const emails = items.map((_, index) => textAt(node, "email", index));
    const job = await send(node, "POST", "/bulk/jobs", { emails, level: textAt(node, "level", 0) });
    return [{ json: job, pairedItem: items.map((_, item) => ({ item })) }];
  },

  getJob: (node, items) =>
    forEach(node, items, (index) =>
      send(node, "GET", `/bulk/jobs/${encodeURIComponent(textAt(node, "jobId", index))}`),
    ),

  async getJobResults(node, items) {
    const found: INodeExecutionData[] = [];
    for (const index of items.keys()) {
      const path = `/bulk/jobs/${encodeURIComponent(textAt(node, "jobId", index))}/results`;
      for (let afterRow = 0; ; ) {
        const page = (await send(
          node,
          "GET",
          `${path}?limit=${PAGE}&after_row=${afterRow}`,
        )) as unknown as IDataObject[];
        for (const json of page) found.push({ json, pairedItem: index });
        if (page.length < PAGE) break;
        const last = page[page.length - 1];
        afterRow = Number(last?.cell ?? last?.row); // a cell where there are several email columns
      }
    }
    return found;
  },
};

/** The service takes addresses that differ in case, or in these blanks around them, for the same. With a no-break space one is invalid. */
const keyOf = (email: string) => email.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "").toLowerCase();

const textAt = (node: IExecuteFunctions, name: string, index: number) =>
  String(node.getNodeParameter(name, index) ?? "");

/** One result per item. With "Continue on fail" an error is an item too. */
async function forEach(
  node: IExecuteFunctions,
  items: INodeExecutionData[],
  run: (index: number) => Promise<IDataObject>,
): Promise<INodeExecutionData[]> {
  const found: INodeExecutionData[] = [];
  for (const index of items.keys()) {
    try {
      found.push({ json: await run(index), pairedItem: index });
    } catch (error) {
      if (!node.continueOnFail())
        throw new NodeApiError(node.getNode(), error as JsonObject, { itemIndex: index });
      found.push({ json: { error: (error as Error).message }, pairedItem: index });
    }
  }
  return found;
}

async function send(
  node: IExecuteFunctions,
  method: "GET" | "POST",
  path: string,
  body?: IDataObject,
): Promise<IDataObject> {
  const { baseUrl } = await node.getCredentials<{ baseUrl: string }>("mailvetApi");
  const options: IHttpRequestOptions = {
    method,
    url: `${baseUrl.replace(/\/+$/, "")}/api/v1${path}`,
    json: true,
    ...(body === undefined ? {} : { body }),
  };
  return await node.helpers.httpRequestWithAuthentication.call(node, "mailvetApi", options);
}
