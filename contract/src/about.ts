/** Public information about an installation. */
import { type Static, Type } from "typebox";
import { Count, OneOf } from "./shape.ts";

export const About = Type.Object({
  name: Type.String({ description: "Name of the product." }),
  version: Type.String({ description: "Version of the service." }),
  sign_up: OneOf(["open", "closed"], {
    description: "Whether anyone can sign up. If closed, the operator creates accounts.",
  }),
  mail: Type.Boolean({
    description:
      "Whether email is configured. If not, the operator passes on confirmation and password reset links.",
  }),
  retention_days: Count("Days that rows and results are kept after a job has finished."),
  max_csv_emails: Count("Maximum number of emails per uploaded file. A plan may allow fewer."),
  max_upload_bytes: Count("Maximum size of an uploaded file, in bytes as sent."),
});
export type About = Static<typeof About>;
