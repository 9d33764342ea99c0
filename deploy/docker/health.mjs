/** Health check of the container image: exit code 0 when the process in this container may get requests. */
const { MAILVET_PORT, PORT } = process.env;
const port = [PORT, MAILVET_PORT].find((value) => /^\d+$/.test(value ?? "")) ?? "8080";
const ready = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
process.exitCode = ready?.ok ? 0 : 1;
