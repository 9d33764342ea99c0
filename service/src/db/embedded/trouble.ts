/** Why the embedded database cannot run here, said to the person who started the service: what is wrong, what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresTrouble";
}
