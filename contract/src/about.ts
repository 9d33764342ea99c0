/** Public information about an installation, available without authentication. */
import { type Static, Type } from "typebox";
import { Count, OneOf } from "./shape.ts";

export const About = Type.Object({
  name: Type.String({ description: "Product name." }),
  version: Type.String({ description: "Version of the service." }),
  sign_up: OneOf(["open", "closed", "domains", "approval"], {
    description:
      "Whether anyone can create an account, only the operator, those with an address at certain domains, or anyone with the operator's approval.",
  }),
  mail: Type.Boolean({
    description:
      "Whether the service sends email, such as password reset links; otherwise the operator passes them on.",
  }),
  retention_days: Count("Days that the rows and results of a finished job are kept."),
  max_csv_emails: Count("Maximum emails per uploaded file; a plan may allow fewer."),
  max_upload_bytes: Count("Maximum size of an uploaded file, as sent."),
});
export type About = Static<typeof About>;
