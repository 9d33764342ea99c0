/**
 * The frame of the API reference and the problem pages: the header, typeface and colours of the guide, with whose build it
 * comes (web/guide/page-template.ts). Without a built web app the pages are plain HTML.
 */

export type DocsPage = {
  title: string;
  description: string;
  /** HTML at the end of the head. */
  head?: string;
  /** HTML below the header; has an element with the id main. */
  body: string;
};

export type DocsLayout = (page: DocsPage) => string;

export const createDocsLayout =
  (template = PLAIN): DocsLayout =>
  ({ title, description, head = "", body }) => {
    const parts: Record<string, string> = { TITLE: title, DESCRIPTION: description, HEAD: head, BODY: body };
    return template.replaceAll(/__(TITLE|DESCRIPTION|HEAD|BODY)__/g, (_, name: string) => parts[name]!);
  };

const PLAIN = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="__DESCRIPTION__">
<title>__TITLE__</title>
__HEAD__
</head>
<body>
__BODY__
</body>
</html>
`;
