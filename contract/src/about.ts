/** What an installation says of itself to everybody, before anybody has signed in. */
import { type Static, Type } from "typebox";
import { Count, OneOf } from "./shape.ts";

export const About = Type.Object({
  name: Type.String({ description: "What runs here." }),
  version: Type.String({ description: "Of the service." }),
  sign_up: OneOf(["open", "closed"], {
    description: "Whether anybody may open an account; otherwise its operator does.",
  }),
  mail: Type.Boolean({
    description: "Whether mails go out, such as the link to a new password; otherwise its operator has them.",
  }),
  retention_days: Count("Days that the rows and results of a job are kept after it has ended."),
  max_csv_emails: Count("Emails in one uploaded file; a plan may allow fewer."),
  max_upload_bytes: Count("Size of an uploaded file, as it is sent."),
});
export type About = Static<typeof About>;
